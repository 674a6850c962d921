import { methodNotAllowed } from '../refusals.ts'

/** A public key that verifies receipts of Runs. */
export interface ServedReceiptKey {
  readonly keyId: string
  /** PEM. */
  readonly publicKey: string
  readonly createdAt: string
}

export interface ServedReceiptKeys {
  /** The newest first: that one signs. */
  list(): Promise<readonly ServedReceiptKey[]>
  /** Replaces the key that signs. */
  rotate(): Promise<ServedReceiptKey>
}

const root = '/receipts/keys'
const pem = 'application/x-pem-file'

/**
 * Serves the public keys of receipts: all of them as JSON and in PEM, one in PEM at its key ID. A POST adds a key, which signs from now on. Undefined for other
 * paths, and for unknown keys.
 */
export const receiptKeysPage = async (
  verb: string,
  { pathname }: URL,
  keys: ServedReceiptKeys,
): Promise<Response | undefined> => {
  if (!/^\/receipts\/keys(?:$|\.pem$|\/)/.test(pathname)) return undefined
  if (verb === 'post' && pathname === root) return Response.json(await keys.rotate(), { status: 201 })
  if (verb !== 'get' && verb !== 'head') throw methodNotAllowed()
  const all = await keys.list()
  if (pathname === root) return Response.json({ keys: all })
  const found = pathname === `${root}.pem` ? all : all.filter(({ keyId }) => pathname === `${root}/${keyId}`)
  if (found.length === 0) return undefined
  return new Response(found.map(({ publicKey }) => publicKey).join(''), { headers: { 'content-type': pem } })
}
