import { join } from 'node:path'
import { builtGoTool } from './go-tool.ts'
import { type LineOracle, lineOracle } from './line-oracle.ts'

export interface TemplateQuestion {
  /** `resourceset`: between `<<` and `>>`, with `inputs`; `sprig`, and Go's own: between `{{` and `}}`, the data being the dot. */
  readonly functions: 'resourceset' | 'sprig' | 'builtins'
  readonly template: string
  readonly data: unknown
  /** How often to run it, besides once: the answer says how long that took. */
  readonly times?: number
}

export interface TemplateAnswer {
  readonly output?: string
  readonly error?: string
  /** For all runs, without parsing. */
  readonly nanoseconds?: number
}

/** Go's own text/template with slim-sprig or sprig, as a process that answers template after template. */
export type TemplateOracle = LineOracle<TemplateQuestion, TemplateAnswer>

const tool = {
  name: 'template-oracle',
  source: join(import.meta.dirname, 'template-oracle'),
  ldflags: '-s -w',
  takes: 'half a minute on two cores',
}

export const hasTemplateOracle = (): boolean => builtGoTool(tool) !== undefined

export const templateOracle = (): Promise<TemplateOracle> => lineOracle(tool, { quiet: true })
