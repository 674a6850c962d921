/**
 * A test runner for Stryker (stryker.ts names it) that loads the test files once, and runs their tests against one change after the
 * other, by a switch that Stryker builds into the code. A process for each change and file would take a hundred times as long.
 *
 * What a change leaves behind in memory must not decide about the next one: a test that fails must pass again without the change.
 * Otherwise the run is thrown away, and Stryker asks for it again in a new process.
 */
import { globSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { type CollectedTest, collected } from './collected-tests.ts'
import { TestOrder } from './test-order.ts'

/** Where the code that Stryker has changed looks for the change to make, and counts what it passes. */
interface Switches {
  activeMutant?: string | undefined
  currentTestId?: string | undefined
  hitCount?: number | undefined
  hitLimit?: number | undefined
  mutantCoverage?: unknown
}
const switches: Switches = {}
Object.assign(globalThis, { __stryker__: switches })

/** What is used of Stryker's MutantRunOptions. */
interface MutantRun {
  readonly activeMutant: { readonly id: string }
  /** `static` when the change concerns what modules do as they are loaded. */
  readonly mutantActivation: 'static' | 'runtime'
  readonly hitLimit?: number
  /** The tests that go through the changed code; all of them when it is missing. */
  readonly testFilter?: readonly string[]
}

const load = async (): Promise<void> => {
  const stand = pathToFileURL(join(import.meta.dirname, 'collected-tests.ts')).href
  registerHooks({
    resolve: (name, context, next) => (name === 'node:test' ? { url: stand, shortCircuit: true } : next(name, context)),
  })
  for (const path of globSync(JSON.parse(process.env.KEELSON_MUTATION_TESTS!)).sort())
    await import(pathToFileURL(join(process.cwd(), path)).href)
  // Whether a change is noticed is not left to chance, and nobody reads the smallest example.
  fc.configureGlobal({ seed: 1, endOnFailure: true })
}

const failureOf = async ({ run }: CollectedTest): Promise<string | undefined> => {
  try {
    await run()
    return undefined
  } catch (error) {
    return String(error)
  }
}

/** Stryker lets a change be passed a hundred times as often as without it; ten times tells an endless loop as well, before time is up. */
const sooner = 10

class InProcessRunner {
  private hasRun = false
  private readonly order = new TestOrder(process.env.KEELSON_MUTATION_ORDER!)

  capabilities() {
    return { reloadEnvironment: false }
  }

  async dryRun() {
    await this.isFirstRun()
    const tests = []
    for (const test of collected) {
      switches.currentTestId = test.id
      const start = performance.now()
      const failureMessage = await failureOf(test)
      const result = { id: test.id, name: test.name, timeSpentMs: performance.now() - start }
      tests.push(failureMessage === undefined ? { ...result, status: 0 } : { ...result, status: 1, failureMessage })
    }
    switches.currentTestId = undefined
    this.order.prefer(tests.toSorted((a, b) => b.timeSpentMs - a.timeSpentMs).map(({ id }) => id))
    return { status: 'complete', tests, mutantCoverage: switches.mutantCoverage }
  }

  async mutantRun({ activeMutant, mutantActivation, testFilter, ...run }: MutantRun) {
    const hitLimit = (run.hitLimit ?? Number.POSITIVE_INFINITY) / sooner
    switches.activeMutant = mutantActivation === 'static' ? activeMutant.id : undefined
    const isFirst = await this.isFirstRun()
    const ids = testFilter && new Set(testFilter)
    const tests = this.order.promisingFirst(ids ? collected.filter(({ id }) => ids.has(id)) : collected)
    Object.assign(switches, { activeMutant: activeMutant.id, hitCount: 0, hitLimit })
    for (const test of tests) {
      const failureMessage = await failureOf(test)
      const isEndless = switches.hitCount! > hitLimit
      if (failureMessage === undefined && !isEndless) continue
      this.order.prefer([test.id])
      if (isEndless) return { status: 'timeout' }
      switches.activeMutant = undefined
      if (!isFirst && (await failureOf(test)) !== undefined) throw new Error('the test fails without the change, too')
      return { status: 'killed', killedBy: [test.id], failureMessage, nrOfTests: tests.length }
    }
    return { status: 'survived', nrOfTests: tests.length }
  }

  /** Loads the tests when it is. */
  private async isFirstRun(): Promise<boolean> {
    const isFirst = !this.hasRun
    this.hasRun = true
    if (isFirst) await load()
    return isFirst
  }
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'in-process', injectableClass: InProcessRunner }]
