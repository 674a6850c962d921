/** Stands in for node:test where test files are loaded into the process that runs them again and again (in-process-runner.ts). */
export interface CollectedTest {
  /** Numbered, as titles may come twice. */
  readonly id: string
  readonly name: string
  readonly run: () => Promise<void>
}

export const collected: CollectedTest[] = []

interface Options {
  readonly skip?: boolean | string
}

/** Only what tests of pure rooms use: a file that imports anything else of node:test cannot be loaded, and says so. */
export function test(name: string, ...[first, second]: [run: () => unknown] | [options: Options, run: () => unknown]) {
  const [options, run] = typeof first === 'function' ? [{}, first] : [first, second!]
  if (!options.skip) collected.push({ id: `${collected.length} ${name}`, name, run: () => tidily(run) })
}

const endings: (() => unknown)[] = []

/** What a test file makes at its top level ends with the process. */
export const after = (end: () => unknown): unknown => endings.push(end)

const tidily = async (run: () => unknown): Promise<void> => {
  const before = endings.length
  try {
    await run()
  } finally {
    for (const end of endings.splice(before)) await end()
  }
}
