/** The hub's API as one user: requests of the console, and of tools for agents. */

export interface HubUser {
  readonly name: string
  readonly groups: readonly string[]
}

/** A response that is no success; the message is the API server's. */
export class ApiFailure extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.name = 'ApiFailure'
    this.status = status
  }
}

/** The hub did not respond at all. */
export class HubUnreachable extends Error {
  constructor(cause: unknown) {
    super('the hub does not respond', { cause })
    this.name = 'HubUnreachable'
  }
}

export interface HubReader {
  /** Fails with ApiFailure or HubUnreachable. */
  get<T>(path: string, signal?: AbortSignal): Promise<T>
}

export interface HubApi extends HubReader {
  readonly user: HubUser
  post<T>(path: string, body: object): Promise<T>
  mergePatch<T>(path: string, body: object): Promise<T>
}
