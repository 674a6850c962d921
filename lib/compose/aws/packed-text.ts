import { gunzipSync, gzipSync } from 'node:zlib'

/** Text as messages between functions hold it: compressed, in base64. */
export const packText = (text: string): string => gzipSync(text).toString('base64')

const maxUnpacked = 256 * 1024 * 1024

/** Throws when it is not packed text, or has more than 256 MiB. */
export const unpackText = (packed: string): string =>
  gunzipSync(Buffer.from(packed, 'base64'), { maxOutputLength: maxUnpacked }).toString()

/** The most that Lambda takes as the request or the answer of an invocation that is waited for, in bytes. */
export const maxPayload = 6 * 1024 * 1024
