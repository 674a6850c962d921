/** Who a session acts as: what the person has proven to the hub's API, which proves it again with each request. */
import { bearerTokenOf } from '../apiserver/authentication/authenticators.ts'
import type { Peer } from '../apiserver/authentication/caller.ts'

/** A token of any issuer that the hub trusts, or the identity in a client certificate of its own authority. */
export type Credential = { readonly token: string } | { readonly peer: Peer }

/** The credential of a request; undefined if it has none. Whether it is valid is for the API to say. */
export const credentialOf = (request: Request, peer: Peer | undefined): Credential | undefined => {
  const token = bearerTokenOf(request)
  if (token !== undefined) return { token }
  return peer && { peer }
}

/** The same request as the credential's owner: without cookies, which are no credential of the API. */
export const requestAs = (request: Request, credential: Credential, path?: string): Request => {
  const headers = new Headers(request.headers)
  for (const name of ['cookie', csrfHeader, 'authorization']) headers.delete(name)
  if ('token' in credential) headers.set('authorization', `Bearer ${credential.token}`)
  const hasBody = request.body !== null
  return new Request(path === undefined ? request.url : new URL(path, request.url), {
    method: request.method,
    headers,
    signal: request.signal,
    ...(hasBody && { body: request.body, duplex: 'half' }),
  })
}

/** Proves that a request with a session's cookie comes from the console's own page: no other page can read its value. */
export const csrfHeader = 'x-keelson-csrf'

/** The client of a credential that came with its connection, such as a certificate; undefined for a token. */
export const peerOf = (credential: Credential): Peer | undefined => ('peer' in credential ? credential.peer : undefined)
