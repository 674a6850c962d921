import { createHash } from 'node:crypto'

/** A file that a build read. */
export interface FileRead {
  readonly path: string
  /** `sha256:` and the hex digest of its bytes. */
  readonly digest: string
  /** Came over the network: the tree's digest says nothing about it. */
  readonly remote?: true
}

/** What was read in the course of a build, each file once. */
export class ReadLog {
  private readonly files = new Map<string, Uint8Array>()
  private readonly remoteFiles = new Map<string, Uint8Array>()
  /** How often a build used something from outside of the tree: what a step made of it can't be kept. */
  outsideReads = 0

  add(path: string, bytes: Uint8Array): void {
    this.files.set(path, bytes)
  }

  addRemote(path: string, bytes: Uint8Array): void {
    this.remoteFiles.set(path, bytes)
    this.outsideReads++
  }

  digests(): FileRead[] {
    const local = [...this.files].map(([path, bytes]) => ({ path, digest: digestOf(bytes) }))
    const remote = [...this.remoteFiles].map(
      ([path, bytes]): FileRead => ({ path, digest: digestOf(bytes), remote: true }),
    )
    return [...local, ...remote].sort((a, b) => (a.path < b.path ? -1 : 1))
  }
}

const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
