/** Makes the requests of actions on a release from the spec (HR-056, HR-063, HR-074, HR-079, HR-080). */
import type {
  ActionRequest,
  ChartRequest,
  CrdPolicy,
  InstallRequest,
  RollbackRequest,
  TestRequest,
  UninstallRequest,
  UpgradeRequest,
} from '../../clusters/helm-release/action.ts'
import type { RenderCache } from '../../engines/helm/render-cache.ts'
import type { FunctionMap, ValueMap } from '../../engines/template/values/value.ts'
import type { Limits } from '../../foundations/budget/budget.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { Chart } from '../../sources/helm/chart.ts'
import {
  type ActionWithTimeout,
  fieldManager,
  maxHistoryOf,
  releaseNameOf,
  releaseNamespaceOf,
  timeoutOf,
} from './names.ts'
import { originLabels, postRendererOf } from './post-renderer.ts'

/** Inputs of requests besides the spec. */
export interface ChartAndValues {
  readonly chart: Chart
  readonly values: ValueMap
}

export interface RequestSettings {
  readonly buildLimits: Limits
  readonly helm3Defaults: boolean
  readonly functions: FunctionMap
  readonly cache?: RenderCache | undefined
  readonly judge?: ActionRequest['judge']
  readonly isCanceled?: boolean
  /** What the pass is about, to be kept with the action that it begins. */
  readonly inputs?: string
}

interface Waits {
  readonly disableWait?: boolean
  readonly disableWaitForJobs?: boolean
  readonly disableHooks?: boolean
}

const common = (
  release: HelmRelease,
  action: ActionWithTimeout,
  { disableWait, disableWaitForJobs, disableHooks }: Waits,
  {
    judge,
    helm3Defaults,
    isCanceled,
    inputs,
  }: Pick<RequestSettings, 'judge' | 'helm3Defaults' | 'isCanceled' | 'inputs'>,
): ActionRequest => ({
  name: releaseNameOf(release),
  namespace: releaseNamespaceOf(release),
  token: tokenOf(release),
  inputs,
  isCanceled,
  timeoutMs: timeoutOf(release, action),
  wait: disableWait ? 'none' : (release.spec.waitStrategy?.name ?? (helm3Defaults ? 'legacy' : 'poller')),
  waitForJobs: !disableWaitForJobs,
  hooks: !disableHooks,
  fieldManager,
  maxHistory: maxHistoryOf(release),
  ...(judge && { judge }),
})

/** The same for all requests of an object: an action that has started is finished, whatever is requested since, like in helm-controller. */
export const tokenOf = ({ metadata }: HelmRelease): string => metadata.uid ?? `${metadata.namespace}/${metadata.name}`

const rendering = (
  release: HelmRelease,
  { chart, values }: ChartAndValues,
  spec: {
    readonly crds?: CrdPolicy
    readonly disableSchemaValidation?: boolean
    readonly disableTakeOwnership?: boolean
  },
  { buildLimits, functions, cache, helm3Defaults }: RequestSettings,
): Omit<ChartRequest, keyof ActionRequest> => ({
  chart,
  values,
  functions,
  cache,
  postRenderer: postRendererOf(release, buildLimits),
  postRenderStrategy: release.spec.postRenderStrategy ?? (helm3Defaults ? 'nohooks' : 'combined'),
  schemaValidation: !spec.disableSchemaValidation,
  crds: spec.crds ?? 'Create',
  originLabels: originLabels(release),
  takeOwnership: !spec.disableTakeOwnership,
})

/**
 * The install that `spec.install` describes. Objects are applied server-side by default, as Helm 4 does, and
 * client-side with Helm 3's defaults.
 */
export const installRequest = (
  release: HelmRelease,
  wanted: ChartAndValues,
  settings: RequestSettings,
): InstallRequest => {
  const spec = release.spec.install ?? {}
  return {
    ...common(release, 'install', spec, settings),
    ...rendering(release, wanted, spec, settings), // helm-controller ignores `skipCRDs` since it has `crds`
    serverSideApply: spec.serverSideApply ?? !settings.helm3Defaults,
    createNamespace: spec.createNamespace ?? false,
    replace: spec.replace ?? false,
  }
}

/** The upgrade that `spec.upgrade` describes. By default it keeps the apply method of the release's last version. */
export const upgradeRequest = (
  release: HelmRelease,
  wanted: ChartAndValues,
  settings: RequestSettings,
): UpgradeRequest => {
  const spec = release.spec.upgrade ?? {}
  return {
    ...common(release, 'upgrade', spec, settings),
    ...rendering(release, wanted, spec, settings),
    serverSideApply: spec.serverSideApply ?? 'auto',
    force: spec.force ?? false,
    preserveValues: spec.preserveValues ?? false,
    cleanupOnFail: spec.cleanupOnFail ?? false,
  }
}

/** The rollback to a stored version that `spec.rollback` describes. */
export const rollbackRequest = (release: HelmRelease, version: number, settings: RequestSettings): RollbackRequest => {
  const spec = release.spec.rollback ?? {}
  return {
    ...common(release, 'rollback', spec, settings),
    version,
    serverSideApply: spec.serverSideApply ?? 'auto',
    force: spec.force ?? false,
    cleanupOnFail: spec.cleanupOnFail ?? false,
  }
}

/** The uninstall that `spec.uninstall` describes, which waits for objects to be gone unless `disableWait` is set. */
export const uninstallRequest = (
  release: HelmRelease,
  settings: Pick<RequestSettings, 'judge' | 'helm3Defaults'>,
): UninstallRequest => {
  const spec = release.spec.uninstall ?? {}
  return {
    ...common(release, 'uninstall', spec, settings),
    keepHistory: spec.keepHistory ?? false,
    propagation: spec.deletionPropagation ?? 'background',
  }
}

/** The run of the test hooks that `spec.test.filters` selects; all, if there are no filters. */
export const testRequest = (release: HelmRelease, settings: RequestSettings): TestRequest => ({
  ...common(release, 'test', {}, settings),
  filters: release.spec.test?.filters ?? [],
})
