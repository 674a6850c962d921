import { join } from 'node:path'
import type { HealthExpressions } from '../../lib/engines/cel/health-expressions.ts'
import type { StructuralSchema } from '../../lib/foundations/kinds/schema/schema.ts'
import { builtGoTool } from './go-tool.ts'
import { answersOf } from './line-oracle.ts'

/** An expression of Flux, checked beforehand where it says over objects of which names; or those for the health of an object. */
export interface FluxQuestion {
  readonly expression?: string
  readonly variables?: readonly string[]
  readonly health?: HealthExpressions
  readonly data?: unknown
}

/** A rule of Kubernetes, about data of a schema. */
export interface RuleQuestion {
  readonly rule: string
  readonly schema: StructuralSchema
  /** Whether the schema is that of a whole resource. */
  readonly isRoot?: boolean
  /** What it is evaluated for. */
  readonly data?: unknown
}

export interface CelAnswer {
  /** The value as text (`value-text.ts` beside the tests), or the status. */
  readonly value?: string
  /** Why there is none, in cel-go's words. */
  readonly parseError?: string
  readonly error?: string
  /** The cost limit of a rule, and its actual cost. */
  readonly estimate?: number
  readonly actual?: number
}

const tool = {
  name: 'cel-oracle',
  source: join(import.meta.dirname, 'cel-oracle'),
  ldflags: '-s -w',
  takes: 'two minutes on two cores',
}

export const hasCelOracle = (): boolean => builtGoTool(tool) !== undefined

/** The results of cel-go, as Flux and Kubernetes use it. */
export const askCelOracle = (questions: readonly (FluxQuestion | RuleQuestion)[]): Promise<readonly CelAnswer[]> =>
  answersOf(tool, questions)
