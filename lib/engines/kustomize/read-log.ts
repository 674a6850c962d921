import type { Budget } from '../../foundations/budget/budget.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'

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
  /** What this build may cost. */
  readonly budget: Budget
  private readonly known: WeakMap<Uint8Array, string>
  private readonly files = new Map<string, Uint8Array>()
  private readonly remoteFiles = new Map<string, Uint8Array>()
  /** How often a build used something from outside of the tree: what a step made of it can't be kept. */
  outsideReads = 0

  /** Files are paid for each time they are read. `known` are digests of files that were read before. */
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

  /** What comes next depends on more than the tree. */
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
