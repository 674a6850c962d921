/**
 * The way to a server's git-upload-pack. Streams end where the server's answer ends, and fail with GitError. One
 * transport serves one visit to one repository.
 */
export interface GitTransport {
  /** True when requests may be sent without having read the greeting: over HTTP each stands alone. */
  readonly stateless: boolean
  /** What the server says first: its capabilities (protocol v2) or its references (v0 and v1). */
  greeting(): Promise<AsyncIterable<Uint8Array>>
  /** Sends one request and gives the answer. */
  request(body: Uint8Array): Promise<AsyncIterable<Uint8Array>>
  close(): Promise<void>
}
