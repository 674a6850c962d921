/**
 * One HTTP exchange with an API server, whatever lies between: TLS over the network, or a handler in this process.
 * It resolves with any answer, and rejects with a ClusterError `unreachable` when there was none.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>

/** Lower-case names; a list makes several header lines. */
export type RequestHeaders = Readonly<Record<string, string | string[]>>

export interface TransportRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path and query. */
  readonly path: string
  readonly headers: RequestHeaders
  readonly body?: string
  readonly signal: AbortSignal
}

export interface TransportResponse {
  readonly status: number
  header(name: string): string | undefined
  readonly body: string
  /** Who has answered: the cluster's address. */
  readonly server?: string
}
