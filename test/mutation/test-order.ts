import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { CollectedTest } from './collected-tests.ts'

/**
 * The order in which tests are held against a change: first those that noticed the last ones, as what notices a change often notices the
 * next, then the fast ones. Kept in a file, as the processes of a run share it: changes of what modules do as they are loaded need one each.
 */
export class TestOrder {
  private readonly path: string

  constructor(path: string) {
    this.path = path
  }

  promisingFirst(tests: readonly CollectedTest[]): readonly CollectedTest[] {
    const ranks = new Map(this.ids().map((id, at) => [id, at]))
    const rank = ({ id }: CollectedTest) => ranks.get(id) ?? -1
    return tests.toSorted((a, b) => rank(b) - rank(a))
  }

  /** The last one before the others. */
  prefer(ids: readonly string[]): void {
    const preferred = new Set(ids)
    const own = `${this.path}.${process.pid}`
    writeFileSync(own, JSON.stringify([...this.ids().filter(id => !preferred.has(id)), ...ids]))
    renameSync(own, this.path)
  }

  /** The most promising one last. */
  private ids(): readonly string[] {
    return existsSync(this.path) ? JSON.parse(readFileSync(this.path, 'utf8')) : []
  }
}
