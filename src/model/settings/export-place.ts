/** Where segments of the history go. */

export interface S3Bucket {
  readonly bucket: string;
  /** Empty, or ends with a slash. */
  readonly prefix: string;
  /** undefined: as the environment of the AWS SDK says. */
  readonly region: string | undefined;
  /** undefined: AWS. */
  readonly endpoint: string | undefined;
}

export type ExportPlace = { readonly type: 'folder'; readonly folder: string } | ({ readonly type: 's3' } & S3Bucket);
