/** The program on the server: the one that sends packs, or the one that receives them. */
export type GitService = 'git-upload-pack' | 'git-receive-pack'

/**
 * A connection to a server's git-upload-pack or git-receive-pack. Streams end with the server's response, and fail with GitError. A
 * transport serves one session with one repository.
 */
export interface GitTransport {
  /** Whether requests can be sent without reading the greeting: true over HTTP, where each is independent. */
  readonly stateless: boolean
  /** The server's first response: its capabilities (protocol v2) or its references (v0 and v1). */
  greeting(): Promise<AsyncIterable<Uint8Array>>
  /** Sends one request and returns the response. */
  request(body: Uint8Array): Promise<AsyncIterable<Uint8Array>>
  close(): Promise<void>
}
