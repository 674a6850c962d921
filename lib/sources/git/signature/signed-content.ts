import type { ObjectFormat } from '../git-object.ts'

/** The signed bytes of a commit or tag, and the signature; '' if there is none. */
export interface SignedContent {
  readonly payload: Uint8Array
  readonly signature: string
}

/**
 * A commit carries its signature in the header `gpgsig` (`gpgsig-sha256` with SHA-256 object ids), whose continuation
 * lines begin with a space: everything except these headers is signed.
 */
export const signedCommit = (content: Uint8Array, format: ObjectFormat = 'sha1'): SignedContent => {
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1')
  const end = text.indexOf('\n\n')
  const headers = text.slice(0, end < 0 ? text.length : end + 1)
  const [header = ''] = signatureHeaders[format].exec(headers) ?? []
  const unsigned = Object.values(signatureHeaders).reduce((rest, each) => rest.replace(each, ''), headers)
  const payload = unsigned + text.slice(headers.length)
  return { payload: Buffer.from(payload, 'latin1'), signature: header.replace(/^(gpgsig(-sha256)?)? /gm, '') }
}

/** A repository that stores both kinds of object ids has both headers. */
const signatureHeaders: Readonly<Record<ObjectFormat, RegExp>> = {
  sha1: /^gpgsig .*\n(?: .*\n)*/m,
  sha256: /^gpgsig-sha256 .*\n(?: .*\n)*/m,
}

const armors = ['-----BEGIN PGP SIGNATURE-----', '-----BEGIN SSH SIGNATURE-----', '-----BEGIN SIGNED MESSAGE-----']

/** A tag ends with its signature: everything before it is signed. */
export const signedTag = (content: Uint8Array): SignedContent => {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length)
  const at = Math.max(...armors.map(armor => bytes.lastIndexOf(`\n${armor}`)))
  if (at < 0) return { payload: bytes, signature: '' }
  return { payload: bytes.subarray(0, at + 1), signature: bytes.toString('latin1', at + 1) }
}
