/** JSON as bytes with a tag, in a form that is joined from parts: Node.js joins and sends text faster than buffers. */
import { hash } from 'node:crypto';

export interface TaggedJson {
  /** JSON in UTF-8: one character, of Latin-1, for each byte. */
  readonly latin1: string;
  /** Different for different JSON. */
  readonly tag: string;
}

export function tagJson(json: string): TaggedJson {
  const bytes = Buffer.from(json);
  return { latin1: bytes.toString('latin1'), tag: tagOf(bytes) };
}

/** A list in the making. */
interface JoinedList {
  add(item: TaggedJson): void;
  /** An object with the list as the member of this name. */
  asList(name: string): TaggedJson;
}

export function joinTagged(): JoinedList {
  let [items, tags] = ['', ''];
  return {
    add({ latin1, tag }) {
      items += items === '' ? latin1 : `,${latin1}`;
      tags += tag;
    },
    asList: (name) => ({ latin1: `{"${name}":[${items}]}`, tag: tagOf(tags) }),
  };
}

/** The object, which has members, with one more. */
export function withMember(object: TaggedJson, name: string, value: TaggedJson): TaggedJson {
  return {
    latin1: `${object.latin1.slice(0, -1)},"${name}":${value.latin1}}`,
    tag: tagOf(`${object.tag}${value.tag}`),
  };
}

/** 96 bits: tags of parts are joined for each answer, and hashed again. */
function tagOf(content: string | Buffer): string {
  return hash('sha1', content, 'base64url').slice(0, 16);
}
