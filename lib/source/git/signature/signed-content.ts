/** What a commit or tag says, and the signature over it; '' when there is none. */
export interface SignedContent {
  readonly payload: Uint8Array
  readonly signature: string
}

/** A commit carries its signature in the header `gpgsig`, whose further lines begin with a space: all else is signed. */
export const signedCommit = (content: Uint8Array): SignedContent => {
  const text = Buffer.from(content.buffer, content.byteOffset, content.length).toString('latin1')
  const end = text.indexOf('\n\n')
  const headers = text.slice(0, end < 0 ? text.length : end + 1)
  const [header = ''] = signatureHeader.exec(headers) ?? []
  const payload = headers.replace(signatureHeader, '').replace(otherHash, '') + text.slice(headers.length)
  return { payload: Buffer.from(payload, 'latin1'), signature: header.replace(/^(gpgsig)? /gm, '') }
}

const signatureHeader = /^gpgsig .*\n(?: .*\n)*/m
/** Of a repository that is kept with two kinds of object names. */
const otherHash = /^gpgsig-sha256 .*\n(?: .*\n)*/m

const armors = ['-----BEGIN PGP SIGNATURE-----', '-----BEGIN SSH SIGNATURE-----', '-----BEGIN SIGNED MESSAGE-----']

/** A tag ends with its signature: all before it is signed. */
export const signedTag = (content: Uint8Array): SignedContent => {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length)
  const at = Math.max(...armors.map(armor => bytes.lastIndexOf(`\n${armor}`)))
  if (at < 0) return { payload: bytes, signature: '' }
  return { payload: bytes.subarray(0, at + 1), signature: bytes.toString('latin1', at + 1) }
}
