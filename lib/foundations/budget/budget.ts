/**
 * What one piece of work may cost, so that a few lines of hostile input can't occupy a process for minutes or fill its memory. The
 * engines that share a Budget share its limits: the sum of what they do is bounded. What has no limit is only counted. Seconds and
 * megabytes are not counted by engines: a thread of its own is held to them, where there is one.
 */
export const budgetNames = ['bases', 'depth', 'resources', 'nodes', 'bytes', 'steps', 'seconds', 'megabytes'] as const

export type BudgetName = (typeof budgetNames)[number]

/** How much of each there may be; what is absent is unlimited. */
export type Limits = Readonly<Partial<Record<BudgetName, number>>>

/**
 * Of the 4,339 folders with a kustomization in 102 public repositories none takes more than 178 bases, 6 levels, 185 resources, 460,000
 * nodes, 16 MB and 7,800 steps (`npm run conformance -- kustomize-trees`): the limits are four times that and more, and little enough
 * for a process of a gigabyte.
 */
export const defaultBuildLimits: Required<Limits> = {
  bases: 5_000,
  depth: 100,
  resources: 20_000,
  nodes: 2_000_000,
  bytes: 134_217_728,
  steps: 2_000_000,
  seconds: 60,
  megabytes: 384,
}

/** What is counted, after a number. */
const counted: Readonly<Record<BudgetName, string>> = {
  bases: 'kustomizations loaded',
  depth: 'levels of nesting',
  resources: 'resources at a time',
  nodes: 'YAML nodes read and made',
  bytes: 'bytes read and made',
  steps: 'steps',
  seconds: 'seconds of a processor',
  megabytes: 'MiB of memory',
}

/** Work was given up because it went over a limit. More of the same input fails in the same way; a higher limit may help. */
export class BudgetExceeded extends Error {
  readonly budget: BudgetName
  readonly limit: number
  /** What the work had come to: at least this much is needed. */
  readonly used: number
  /** The file, object or field where it happened; '' where none is known. */
  readonly place: string

  constructor(budget: BudgetName, limit: number, used: number, place = '') {
    super(
      `over budget: more than ${limit} ${counted[budget]}${place && ` (${place})`}; the limit is ${budget}=${limit}`,
    )
    this.name = 'BudgetExceeded'
    this.budget = budget
    this.limit = limit
    this.used = used
    this.place = place
  }
}

/** Counts what work costs. Made for one build, request or expansion, and handed to every engine that takes part in it. */
export class Budget {
  private readonly limits: Limits
  private readonly amounts: Record<BudgetName, number> = {
    ...{ bases: 0, depth: 0, resources: 0, nodes: 0, bytes: 0, steps: 0, seconds: 0, megabytes: 0 },
  }
  /** How the work went over, if it did. It is over then, whoever caught the error on its way. */
  exceeded: BudgetExceeded | undefined

  constructor(limits: Limits = {}) {
    this.limits = limits
  }

  /** Adds to what was used. Throws BudgetExceeded when that is more than the limit. */
  spend(name: BudgetName, amount: number, place?: string): void {
    this.amounts[name] += amount
    this.check(name, place)
  }

  /** For what counts at its highest, not in sum. Throws BudgetExceeded when the level is above the limit. */
  reach(name: BudgetName, level: number, place?: string): void {
    if (level <= this.amounts[name]) return
    this.amounts[name] = level
    this.check(name, place)
  }

  /** What was used so far. */
  get used(): Readonly<Record<BudgetName, number>> {
    return { ...this.amounts }
  }

  private check(name: BudgetName, place: string | undefined): void {
    const limit = this.limits[name]
    if (limit === undefined || this.amounts[name] <= limit) return
    this.exceeded ??= new BudgetExceeded(name, limit, this.amounts[name], place)
    throw this.exceeded
  }
}
