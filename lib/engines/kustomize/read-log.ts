import type { Budget } from '../../foundations/budget/budget.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'

/** A file that a build read. */
export interface FileRead {
  readonly path: string
  /** `sha256:` and the hex digest of its bytes. */
  readonly digest: string
  /** Fetched over the network: the tree's digest does not cover it. */
  readonly remote?: true
}

/** The files that a build read, each once. */
export class ReadLog {
  /** The build's budget. */
  readonly budget: Budget
  private readonly known: WeakMap<Uint8Array, string>
  private readonly files = new Map<string, Uint8Array>()
  private readonly remoteFiles = new Map<string, Uint8Array>()
  /** The number of uses of anything outside of the tree: a step that uses it can't be cached. */
  outsideReads = 0

  /** Files are charged to the budget each time they are read. `known` are digests of files that were read earlier. */
  constructor(budget: Budget, known = new WeakMap<Uint8Array, string>()) {
    this.budget = budget
    this.known = known
  }

  add(path: string, bytes: Uint8Array): void {
    this.budget.spend('bytes', bytes.length, path)
    this.files.set(path, bytes)
  }

  addRemote(path: string, bytes: Uint8Array): void {
    this.budget.spend('bytes', bytes.length, path)
    this.remoteFiles.set(path, bytes)
    this.noteOutside()
  }

  /** Records that the result depends on more than the tree. */
  noteOutside(): void {
    this.outsideReads++
  }

  digests(): FileRead[] {
    const local = [...this.files].map(([path, bytes]) => ({ path, digest: this.digestOf(bytes) }))
    const remote = [...this.remoteFiles].map(
      ([path, bytes]): FileRead => ({ path, digest: this.digestOf(bytes), remote: true }),
    )
    return [...local, ...remote].sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  private digestOf(bytes: Uint8Array): string {
    let digest = this.known.get(bytes)
    if (digest === undefined) {
      digest = sha256Digest(bytes)
      this.known.set(bytes, digest)
    }
    return digest
  }
}
