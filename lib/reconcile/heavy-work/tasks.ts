import { CelError } from '../../engines/cel/cel-error.ts'
import { expression } from '../../engines/cel/expression.ts'
import { healthEvaluator } from '../../engines/cel/health-expressions.ts'
import type { FileSystem } from '../../engines/kustomize/file-system.ts'
import type { ChartFiles, Helm } from '../../engines/kustomize/generators/helm.ts'
import type { LocatedProgram, PluginOutcome, PluginRunner } from '../../engines/kustomize/plugins/exec/plugin-runner.ts'
import { RemoteStatusError, type Remotes } from '../../engines/kustomize/remotes.ts'
import { render } from '../../engines/resource-set/render.ts'
import type { KeyServices } from '../../engines/sops/data-key.ts'
import type { MasterKey } from '../../engines/sops/master-key.ts'
import type { Certifier } from '../../engines/template/functions/certificates.ts'
import { Budget } from '../../foundations/budget/budget.ts'
import type { Caller, OffThreadTasks } from '../../platform/ports/off-thread.ts'
import { renderSource } from '../kustomization/build/render-source.ts'
import { substituteAll } from '../kustomization/build/substitute-all.ts'
import { createDecryptor, type Decryptor } from '../kustomization/decryption/decryptor.ts'
import { indexTask } from './chart-index.ts'
import type {
  BuildInput,
  Evaluated,
  EvaluateInput,
  ExpandInput,
  HealthInput,
  Refusal,
  SubstituteInput,
} from './off-thread.ts'

export interface HeavyTaskPorts {
  /** Of templates of ResourceSets; uniform in [0, 1). */
  readonly random: () => number
  /** The clock, random bytes and keys of templates of charts. */
  readonly certifier: Certifier
}

/** The tasks on their own thread. */
export const heavyTasks = ({ random, certifier }: HeavyTaskPorts): OffThreadTasks => ({
  build: (input: BuildInput, caller) => {
    const { folder, spec, settings } = input
    return renderSource(
      treeOf(caller, 0),
      folder,
      spec,
      portsOf(input, caller, certifier),
      settings,
      new Budget(settings.buildLimits),
    )
  },
  substitute: ({ manifests, variables, strict, limits }: SubstituteInput) =>
    substituteAll(manifests, variables, { strict, budget: new Budget(limits) }),
  expand: ({ spec, inputs, limits, now }: ExpandInput) =>
    render(spec, inputs, { ambient: { now: () => now, random }, budget: new Budget(limits) }),
  index: indexTask,
  evaluate: ({ text, data, limits }: EvaluateInput) =>
    evaluated(() => expression(text).evaluateBoolean(data, { budget: new Budget(limits) })),
  judge: ({ expressions, object, limits }: HealthInput) =>
    evaluated(() => healthEvaluator(expressions)(object, new Budget(limits))),
})

const evaluated = <T>(evaluate: () => T): Evaluated<T> => {
  try {
    return { value: evaluate() }
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    const { stage, message, messageWithoutValues } = error
    return { celError: { stage, message, messageWithoutValues } }
  }
}

/** Trees and remote bases stay on the thread that started the build. */
const treeOf = ({ callSync }: Caller, tree: number): FileSystem => ({
  read: path => callSync('read', tree, path) as Uint8Array | undefined,
  list: path => callSync('list', tree, path) as readonly string[] | undefined,
})

const portsOf = (
  { hasRemotes, hasPlugins, hasCharts, decryption }: BuildInput,
  caller: Caller,
  certifier: Certifier,
) => ({
  helm: hasCharts ? helmOf(caller, certifier) : undefined,
  remotes: hasRemotes ? remotesOf(caller) : undefined,
  plugins: hasPlugins ? pluginsOf(caller) : undefined,
  decryptor: decryption && decryptorOf(decryption, caller),
})

/** Charts are rendered here, and downloaded by the thread that started the build. */
const helmOf = ({ callAsync }: Caller, certifier: Certifier): Helm => ({
  pull: chart => callAsync('pullChart', chart) as Promise<ChartFiles>,
  template: async (inflation, budget) => {
    // Loaded on demand, since few builds have charts.
    const { inflateChart } = await import('../../sources/helm/inflate-chart.ts')
    return inflateChart(inflation, { certifier, budget })
  },
})

const pluginsOf = ({ callSync, callAsync }: Caller): PluginRunner => ({
  locate: path => callSync('locate', path) as LocatedProgram | undefined,
  run: request => callAsync('runPlugin', request) as Promise<PluginOutcome>,
})

const decryptorOf = (
  { keyTypes, verifyMac }: Required<BuildInput>['decryption'] & {},
  { callAsync }: Caller,
): Decryptor => {
  const open = (key: MasterKey) => callAsync('openKey', key) as Promise<Uint8Array>
  const services: KeyServices = Object.fromEntries(keyTypes.map(type => [type, open]))
  return createDecryptor({ identity: '', services, verifyMac })
}

const remotesOf = (caller: Caller): Remotes => ({
  file: async url => {
    const response = (await caller.callAsync('file', url)) as Uint8Array | Refusal
    if (response instanceof Uint8Array) return response
    throw new RemoteStatusError(response.status, response.statusText)
  },
  repository: async target => treeOf(caller, (await caller.callAsync('repository', target)) as number),
})
