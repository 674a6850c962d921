import { join } from 'node:path'
import { builtGoTool } from './go-tool.ts'
import { answersOf } from './line-oracle.ts'

/** A text with variables; lines of an ignore file in a directory, and paths (of directories with a slash behind); a version range, and versions. */
export type FluxQuestion =
  | { readonly substitute: string; readonly variables: Readonly<Record<string, string>>; readonly strict: boolean }
  | { readonly ignore: string; readonly domain: readonly string[]; readonly paths: readonly string[] }
  | { readonly constraint: string; readonly versions: readonly string[] }

export interface FluxAnswer {
  readonly text?: string
  readonly error?: string
  /** For each path, or version. */
  readonly verdicts?: readonly string[]
}

const tool = {
  name: 'flux-oracle',
  source: join(import.meta.dirname, 'flux-oracle'),
  ldflags: '-s -w',
  takes: 'half a minute on two cores',
}

export const hasFluxOracle = (): boolean => builtGoTool(tool) !== undefined

/** The answers of fluxcd/pkg/envsubst, fluxcd/pkg/sourceignore and Masterminds/semver. */
export const askFluxOracle = (questions: readonly FluxQuestion[]): Promise<readonly FluxAnswer[]> =>
  answersOf(tool, questions)
