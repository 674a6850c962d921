/** Who calls. */
import type { User } from '../../authorize/access.ts'

export type { Attributes, Authorize, Authorizer, Decision, User } from '../../authorize/access.ts'

/** What a TLS connection proves of its client: a certificate that the hub's authority has signed for it. */
export interface Peer {
  readonly commonName: string
  readonly organizations: readonly string[]
  /** SHA-256 of the certificate, lower-case hex. */
  readonly fingerprint: string
}

/** The user behind a request's credentials; undefined when there are none, or wrong ones. */
export type Authenticate = (request: Request, peer?: Peer) => Promise<User | undefined>
