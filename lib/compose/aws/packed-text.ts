import { gunzipSync, gzipSync } from 'node:zlib'

/** Text in messages between functions: compressed, in base64. */
export const packText = (text: string): string => gzipSync(text).toString('base64')

const maxUnpacked = 256 * 1024 * 1024

/** Throws if it isn't packed text, or has more than 256 MiB. */
export const unpackText = (packed: string): string =>
  gunzipSync(Buffer.from(packed, 'base64'), { maxOutputLength: maxUnpacked }).toString()

/** Lambda takes 6 MB as the request or response of a synchronous invocation; this leaves room for the rest of the message. */
export const maxPayload = 6 * 1024 * 1024 - 4096
