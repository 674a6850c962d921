/** Who calls, and what they may do. */

import type { ResourceRequest } from './request-info.ts'

export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** The user behind a request's credentials; undefined when there are none, or wrong ones. */
export type Authenticate = (request: Request) => Promise<User | undefined>

/** What somebody wants to do: with resources, or (`path` only) with another path of the API. */
export interface Attributes {
  readonly user: User
  /** Lower-case HTTP method for paths. */
  readonly verb: string
  readonly path: string
  readonly resource?: Omit<ResourceRequest, 'verb'>
}

export interface Decision {
  readonly allowed: boolean
  readonly reason?: string
}

export type Authorize = (attributes: Attributes) => Promise<Decision>
