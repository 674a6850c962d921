/**
 * Limits for the cost of one piece of work, so that a few lines of hostile input can't block a process for minutes or
 * fill its memory. Engines that share a Budget share its limits, which bound their total. Names without a limit are
 * only counted. Engines do not count seconds and megabytes: they limit a worker thread, where there is one.
 */
export const budgetNames = ['bases', 'depth', 'resources', 'nodes', 'bytes', 'steps', 'seconds', 'megabytes'] as const

export type BudgetName = (typeof budgetNames)[number]

/** The limit of each; unlimited if absent. */
export type Limits = Readonly<Partial<Record<BudgetName, number>>>

/**
 * Of the 4,339 folders with a kustomization in 102 public repositories, none needs more than 178 bases, 6 levels, 185 resources, 460,000
 * nodes, 16 MB and 7,800 steps (`npm run conformance -- kustomize-trees`). The limits are at least four times that, and still small enough
 * for a process with a gigabyte of memory.
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

/** The unit in messages, after a number. */
const counted: Readonly<Record<BudgetName, string>> = {
  bases: 'kustomizations loaded',
  depth: 'levels of nesting',
  resources: 'resources at a time',
  nodes: 'YAML nodes read and created',
  bytes: 'bytes read and created',
  steps: 'steps',
  seconds: 'seconds of CPU time',
  megabytes: 'MiB of memory',
}

/** Work was stopped because it exceeded a limit. It fails again with the same input; a higher limit may help. */
export class BudgetExceeded extends Error {
  readonly budget: BudgetName
  readonly limit: number
  /** The amount used when it stopped: at least this much is needed. */
  readonly used: number
  /** The file, object or field where it happened; '' if unknown. */
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

/** Counts the cost of work. Create one per build, request or expansion, and pass it to every engine that takes part. */
export class Budget {
  private readonly limits: Limits
  private readonly amounts: Record<BudgetName, number> = {
    ...{ bases: 0, depth: 0, resources: 0, nodes: 0, bytes: 0, steps: 0, seconds: 0, megabytes: 0 },
  }
  /** Set once the work exceeded a limit, even if someone caught the error. */
  exceeded: BudgetExceeded | undefined

  constructor(limits: Limits = {}) {
    this.limits = limits
  }

  /** Adds to the amount used. Throws BudgetExceeded if it exceeds the limit. */
  spend(name: BudgetName, amount: number, place?: string): void {
    this.amounts[name] += amount
    this.check(name, place)
  }

  /** For values that count by their maximum rather than their sum. Throws BudgetExceeded if the level exceeds the limit. */
  reach(name: BudgetName, level: number, place?: string): void {
    if (level <= this.amounts[name]) return
    this.amounts[name] = level
    this.check(name, place)
  }

  /** The amounts used so far. */
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
