import type { ClusterClient } from '../../clusters/client/client.ts'
import type { ActionRequest } from '../../clusters/helm-release/action.ts'
import type { ReleaseStorage } from '../../clusters/helm-release/storage.ts'
import { manifestReader } from '../../engines/helm/release/manifest-text.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import type { Pass } from '../runtime/reconciler.ts'
import type { Context } from './context.ts'
import type { Draft } from './draft.ts'
import { driftOptions } from './drift.ts'
import { releaseNameOf } from './names.ts'
import type { Work } from './work.ts'

/** Where a pass works, and with what. */
interface Workplace {
  readonly draft: Draft
  readonly pass: Pass<HelmRelease>
  readonly context: Context
  readonly cluster: ClusterClient
  readonly storage: ReleaseStorage
  /** The health check expressions. */
  readonly health: ActionRequest['judge']
}

/** What a pass is to release; `inputs` is kept with the actions that it begins. */
type Found = Pick<
  Work,
  | 'chart'
  | 'values'
  | 'attempt'
  | 'wanted'
  | 'newer'
  | 'isAnotherAttempt'
  | 'onlyEndsAction'
  | 'undo'
  | 'restraint'
  | 'author'
> & {
  readonly inputs: string | undefined
}

/** What the actions of a pass need. Halts if `driftDetection.ignore` is malformed. */
export const prepareWork = async (
  { draft, pass, context, cluster, storage, health }: Workplace,
  { inputs, ...found }: Found,
): Promise<Work> => {
  const { settings, clock, functions, renderings, actions, references, hub, units, signatures } = context
  const { buildLimits, helm3Defaults } = settings
  return {
    ...{ ...found, draft, pass, settings, actions, now: clock.now },
    plans: { references, hub, clock, signatures },
    units,
    drift: await driftOptions(draft, settings),
    deps: {
      ...{ cluster, storage, clock, signal: pass.signal, readManifest: manifestReader() },
      hookSucceeded: tellingHooks(pass),
    },
    name: releaseNameOf(draft.release),
    requests: {
      ...{ buildLimits, helm3Defaults, functions: await functions(), cache: renderings },
      judge: health,
      isCanceled: found.newer !== undefined,
      ...(inputs !== undefined && { inputs }),
    },
  }
}

/** Helm shows its user what a hook has written; here an Event does, which is sent nowhere. */
const tellingHooks =
  (pass: Pass<HelmRelease>) =>
  (event: string, path: string, output: readonly string[]): void => {
    const message = `Hook ${event} ${path} succeeded:\n\n${output.join('\n')}`
    pass.event({ severity: 'info', reason: 'HookSucceeded', message, quiet: true })
  }
