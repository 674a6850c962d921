/** Who calls. */
import type { User } from '../authorize/access.ts'

export type { Attributes, Authorize, Authorizer, Decision, User } from '../authorize/access.ts'

/** The user behind a request's credentials; undefined when there are none, or wrong ones. */
export type Authenticate = (request: Request) => Promise<User | undefined>
