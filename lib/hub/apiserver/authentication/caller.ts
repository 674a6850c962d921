/** The caller of the API. */
import type { User } from '../../authorize/access.ts'

export type { Attributes, Authorize, Authorizer, Decision, User } from '../../authorize/access.ts'

/** The client identity of a TLS connection: a certificate signed by the hub's authority. */
export interface Peer {
  readonly commonName: string
  readonly organizations: readonly string[]
  /** SHA-256 of the certificate, lower-case hex. */
  readonly fingerprint: string
}

/** The user for a request's credentials; undefined if they are absent or invalid. Fails with TokenRefused if a TokenReview can show why. */
export type Authenticate = (request: Request, peer?: Peer) => Promise<User | undefined>
