/**
 * One HTTP exchange with an API server, over TLS or through a handler in this process.
 * Resolves to any response, and rejects with a ClusterError `unreachable` if there was none.
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
  /** The address of the cluster that responded. */
  readonly server?: string
}
