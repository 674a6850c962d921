import { join } from 'node:path'
import { builtGoTool } from './go-tool.ts'
import { type LineOracle, lineOracle } from './line-oracle.ts'

export interface HelmQuestion {
  /** A folder or an archive; or `files`, by their paths in the chart; or the bytes of an archive, in base64. */
  readonly path?: string
  readonly files?: Readonly<Record<string, string>>
  readonly archive?: string
  /** YAML. */
  readonly values?: string
  /** The same in base64, for what is no UTF-8. */
  readonly rawValues?: string
  /** What `--set` takes. */
  readonly sets?: readonly string[]
  readonly kubeVersion?: string
  readonly includeCRDs?: boolean
  readonly isUpgrade?: boolean
  /** How often to render, besides once: the answer says how long that took. */
  readonly times?: number
}

export interface HelmAnswer {
  /** What `helm template rel CHART -n apps` prints. */
  readonly output?: string
  readonly notes?: string
  readonly error?: string
  /** Of all renderings, without loading. */
  readonly nanoseconds?: number
  /** CPU time of the process meanwhile, loading included. */
  readonly cpuNanoseconds?: number
}

/** Helm's own engine, as a process that renders chart after chart. */
export type HelmOracle = LineOracle<HelmQuestion, HelmAnswer>

const tool = {
  name: 'helm-oracle',
  source: join(import.meta.dirname, 'helm-oracle'),
  ldflags: '-s -w',
  takes: 'two to five minutes on two cores',
}

export const hasHelmOracle = (): boolean => builtGoTool(tool) !== undefined

export const helmOracle = (): Promise<HelmOracle> => lineOracle(tool, { quiet: true })
