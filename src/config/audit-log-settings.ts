/** The settings of the audit log of the API server as a source of the history. */
import { z } from 'zod';
import type { ErrorDetail } from '../errors.ts';
import { fact } from './fact.ts';
import { filePath, port } from './value-forms.ts';

/** The port that receives the log. */
export interface AuditLogReceiverSettings {
  /** 0: any free port. */
  readonly port: number;
  readonly certFile: string;
  readonly keyFile: string;
  /** Certificates of authorities whose clients are believed; undefined: none. */
  readonly clientCaFile: string | undefined;
  /** A file with the token of the sender; undefined: no token is accepted. */
  readonly tokenFile: string | undefined;
}

export interface AuditLogSettings {
  /** undefined: the log is not read from a file. */
  readonly file: string | undefined;
  /** undefined: the log is not received. */
  readonly receiver: AuditLogReceiverSettings | undefined;
  /** The log is late if it has nothing about an entry after this time. */
  readonly lateMs: number;
}

export const auditLogSettings = {
  VEXIL_AUDIT_LOG_FILE: fact(filePath.optional(), {
    description:
      'A file of the audit log of the API server as JSON lines (`--audit-log-path`). The history takes authors and missed changes from it. Rotated files beside it are read too.',
    allowed: 'the path of a file',
    defaultText: 'none: no file is read',
    example: '/var/log/kubernetes/vexil-audit.log',
  }),
  VEXIL_AUDIT_LOG_PORT: fact(port.optional(), {
    description:
      'The port, with TLS, at which Vexil receives the audit log of the API server (`--audit-webhook-config-file`). Set `VEXIL_AUDIT_LOG_TLS_CERT_FILE`, `VEXIL_AUDIT_LOG_TLS_KEY_FILE`, and how the API server proves who it is: `VEXIL_AUDIT_LOG_TOKEN_FILE` or `VEXIL_AUDIT_LOG_CLIENT_CA_FILE`.',
    allowed: 'a port number from 0 (any free port) to 65535, different from other ports',
    defaultText: 'none: no log is received',
    example: '9443',
  }),
  VEXIL_AUDIT_LOG_TLS_CERT_FILE: fact(filePath.optional(), {
    description: 'The certificate of that port in PEM. A changed file is loaded within seconds, without a restart.',
    allowed: 'the path of a file; requires VEXIL_AUDIT_LOG_PORT',
    defaultText: 'no such file',
    example: '/etc/vexil/audit-log/tls.crt',
  }),
  VEXIL_AUDIT_LOG_TLS_KEY_FILE: fact(filePath.optional(), {
    description: 'The private key of that certificate in PEM, not encrypted.',
    allowed: 'the path of a file; requires VEXIL_AUDIT_LOG_PORT',
    defaultText: 'no such file',
    example: '/etc/vexil/audit-log/tls.key',
  }),
  VEXIL_AUDIT_LOG_CLIENT_CA_FILE: fact(filePath.optional(), {
    description:
      'Certificates of authorities in PEM. A sender with a client certificate from one of them is believed: use an authority that signs for nothing else.',
    allowed: 'the path of a file; requires VEXIL_AUDIT_LOG_PORT',
    defaultText: 'none: client certificates are not asked for',
    example: '/etc/vexil/audit-log/ca.crt',
  }),
  VEXIL_AUDIT_LOG_TOKEN_FILE: fact(filePath.optional(), {
    description:
      'A file with a token of at least 32 characters, from a Secret. A sender that presents it (`Authorization: Bearer …`) is believed. The file is read for each batch.',
    allowed: 'the path of a file; requires VEXIL_AUDIT_LOG_PORT',
    defaultText: 'none: no token is accepted',
    example: '/etc/vexil/audit-log/token',
  }),
  VEXIL_AUDIT_LOG_LATE: fact(
    z
      .string()
      .regex(/^\d{1,3}[sm]$/)
      .transform((text) => Number.parseInt(text, 10) * (text.endsWith('m') ? 60_000 : 1_000))
      .pipe(z.number().min(1_000).max(3_600_000))
      .prefault('5m'),
    {
      description:
        'After this time, an entry without an event in the audit log counts as late, and `vexil_audit_log_up` is 0.',
      allowed: 'a whole number of seconds or minutes from 1s to 60m',
      defaultText: '5m',
      example: '10m',
    },
  ),
};

type AuditLogValues = z.output<z.ZodObject<typeof auditLogSettings>>;

const SUFFIXES = ['TLS_CERT_FILE', 'TLS_KEY_FILE', 'CLIENT_CA_FILE', 'TOKEN_FILE'] as const;

/** Findings about settings that need another one: a log must not be believed from anyone, nor be lost unnoticed. */
export function auditLogFindings(values: AuditLogValues): ErrorDetail[] {
  const isGiven = (suffix: (typeof SUFFIXES)[number]) => values[`VEXIL_AUDIT_LOG_${suffix}`] !== undefined;
  if (values.VEXIL_AUDIT_LOG_PORT === undefined) {
    const given = SUFFIXES.find(isGiven);
    if (given === undefined) return [];
    const message = `VEXIL_AUDIT_LOG_PORT is missing, as VEXIL_AUDIT_LOG_${given} is set; set both or none`;
    return [{ path: 'VEXIL_AUDIT_LOG_PORT', message }];
  }
  const missing = (['TLS_CERT_FILE', 'TLS_KEY_FILE'] as const).filter((suffix) => !isGiven(suffix));
  const findings = missing.map((suffix) => {
    const path = `VEXIL_AUDIT_LOG_${suffix}`;
    return { path, message: `${path} is missing, as VEXIL_AUDIT_LOG_PORT is set; the log is received with TLS only` };
  });
  if (isGiven('CLIENT_CA_FILE') || isGiven('TOKEN_FILE')) return findings;
  const path = 'VEXIL_AUDIT_LOG_TOKEN_FILE';
  const message = `${path} and VEXIL_AUDIT_LOG_CLIENT_CA_FILE are missing, as VEXIL_AUDIT_LOG_PORT is set; set one of them, so that the log is believed from the API server only`;
  return [...findings, { path, message }];
}

/** undefined: the audit log is no source. */
export function auditLogFrom(values: AuditLogValues): AuditLogSettings | undefined {
  const { VEXIL_AUDIT_LOG_FILE: file, VEXIL_AUDIT_LOG_LATE: lateMs } = values;
  const receiver = receiverFrom(values);
  return file === undefined && receiver === undefined ? undefined : Object.freeze({ file, receiver, lateMs });
}

function receiverFrom(values: AuditLogValues): AuditLogReceiverSettings | undefined {
  const { VEXIL_AUDIT_LOG_PORT: number } = values;
  const { VEXIL_AUDIT_LOG_TLS_CERT_FILE: certFile, VEXIL_AUDIT_LOG_TLS_KEY_FILE: keyFile } = values;
  if (number === undefined || certFile === undefined || keyFile === undefined) return undefined;
  const { VEXIL_AUDIT_LOG_CLIENT_CA_FILE: clientCaFile, VEXIL_AUDIT_LOG_TOKEN_FILE: tokenFile } = values;
  return Object.freeze({ port: number, certFile, keyFile, clientCaFile, tokenFile });
}
