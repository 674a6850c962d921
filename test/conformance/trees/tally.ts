import type { BudgetName } from '../../../lib/foundations/budget/budget.ts'

/** Milliseconds of ours, and of kustomize's process. */
export interface Pair {
  ours: number
  theirs: number
}

/** A folder that both built to the same bytes. */
export interface EqualBuild {
  readonly name: string
  readonly bytes: number
  /** On the clock, and of processors. */
  readonly times: Readonly<Pair>
  readonly cpu: Readonly<Pair>
  readonly used: Readonly<Record<BudgetName, number>>
}

/** Trees of which more than this is printed are long enough for their times to say something about them alone. */
export const LARGE = 300_000

/** What a run over many folders came to. */
export class Tally {
  private readonly equal: EqualBuild[] = []
  private readonly otherWords: string[] = []
  private refused = 0
  private different = 0
  private needNetwork = 0

  addEqual(build: EqualBuild): void {
    this.equal.push(build)
  }

  addDifferent(): void {
    this.different++
  }

  addNeedsNetwork(): void {
    this.needNetwork++
  }

  addRefused(name: string, ours: string, theirs: string): void {
    this.refused++
    if (ours !== theirs)
      this.otherWords.push(`${name}\n  kustomize: ${shortened(theirs)}\n  ours:      ${shortened(ours)}`)
  }

  summary(): string {
    const large = this.equal.filter(({ bytes }) => bytes > LARGE).sort((a, b) => ratio([a]) - ratio([b]))
    return [
      ...(this.otherWords.length > 0 ? ['Refused in other words than kustomize:', ...this.otherWords, ''] : []),
      `${this.equal.length + this.different} folders built, ${this.equal.length} to the same bytes; ${this.refused} refused by both, ` +
        `${this.otherWords.length} of them in other words; ${this.needNetwork} not compared, as they name what has to be fetched`,
      this.equal.length > 0 ? `all equal builds: ${times(this.equal)}` : '',
      large.length > 0
        ? `the ${large.length} of more than ${LARGE / 1000} KB: ${times(large)}; least ahead, by processors:`
        : '',
      ...large.slice(0, 10).map(build => `  ${times([build])}, ${Math.round(build.bytes / 1000)} KB  ${build.name}`),
      ...(this.equal.length > 0 ? ['the most that one build took:', ...MEASURED.map(name => this.most(name))] : []),
    ]
      .filter(line => line !== '')
      .join('\n')
  }

  private most(name: BudgetName): string {
    const build = this.equal.reduce((most, next) => (next.used[name] > most.used[name] ? next : most))
    return `  ${name.padEnd(10)}${String(build.used[name]).padStart(12)}  ${build.name}`
  }
}

const MEASURED = ['bases', 'depth', 'resources', 'nodes', 'bytes', 'steps'] as const

const sum = (builds: readonly EqualBuild[], which: 'times' | 'cpu'): Pair => ({
  ours: builds.reduce((total, build) => total + build[which].ours, 0),
  theirs: builds.reduce((total, build) => total + build[which].theirs, 0),
})

const ratio = (builds: readonly EqualBuild[]): number => ratioOf(sum(builds, 'cpu'))

const ratioOf = ({ ours, theirs }: Pair): number => theirs / ours

const times = (builds: readonly EqualBuild[]): string => {
  const [wall, cpu] = [sum(builds, 'times'), sum(builds, 'cpu')]
  return (
    `kustomize ${shown(wall.theirs)}, ours ${shown(wall.ours)}: ${ratioOf(wall).toFixed(1)} times; ` +
    `of processors ${shown(cpu.theirs)} and ${shown(cpu.ours)}: ${ratioOf(cpu).toFixed(1)} times`
  )
}

const shown = (milliseconds: number): string =>
  milliseconds < 10_000 ? `${milliseconds.toFixed(0)} ms` : `${(milliseconds / 1000).toFixed(1)} s`

const shortened = (text: string): string => {
  const line = text.replaceAll('\n', '\\n')
  return line.length > 500 ? `${line.slice(0, 500)}...` : line
}
