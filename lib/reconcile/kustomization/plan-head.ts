import { countsOf } from '../../clusters/apply/describe-planned.ts'
import { openChanges } from '../../clusters/apply/open-changes.ts'
import { planChanges } from '../../clusters/apply/planned-changes.ts'
import type { HeadPlan, OpenBuilds } from '../../foundations/fleet/head-plan.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { ReachedTarget } from '../applied-objects/reach-target.ts'
import { judgeOpenly } from '../policies/open-findings.ts'
import { policiesOf } from '../policies/policies-of.ts'
import type { PlanHead } from '../pull-request/plan-head.ts'
import { orAbort, restrainedPlan } from '../pull-request/restrained-plan.ts'
import type { Pass } from '../runtime/reconciler.ts'
import type { Restraint } from '../windows/restraint.ts'
import { applyRules, fieldManager } from './apply-manifests.ts'
import { createBuildCache } from './build/build-cache.ts'
import { buildManifests, type Manifests } from './build/build-manifests.ts'
import { knownRemotes } from './build/known-remotes.ts'
import { locateIn } from './build/locate.ts'
import { withoutDecryption, withoutSecrets } from './build/open-build.ts'
import { createSourceFiles } from './build/source-files.ts'
import { sourceFolder } from './build/source-path.ts'
import type { KustomizationPorts } from './context.ts'
import { createDecryption, localKeysOnly, requireDecryptionAllowed } from './decryption/decryption.ts'
import { revisionOf } from './events.ts'
import { orFailure } from './failure.ts'
import { placedBuild } from './place-on-hub.ts'
import { resolveSource } from './resolve-source.ts'
import type { KustomizationRun } from './run.ts'
import type { KustomizationSettings } from './settings.ts'
import { connect, targetCluster } from './target-cluster.ts'

type PlanningPorts = Omit<KustomizationPorts, 'plugins' | 'cached'>

export interface KustomizationPlanner {
  readonly plan: PlanHead<Kustomization>
  /** What the repository alone has of a unit that applies to the hub, by its base and by the head: no cluster is needed for it. Undefined for other units. */
  readonly onHub: (unit: Kustomization, head: Artifact, signal: AbortSignal) => Promise<OpenBuilds | undefined>
  /** What the repository alone has of a unit, by its base; nothing if that doesn't build without secrets. */
  readonly openBase: (unit: Kustomization, signal: AbortSignal) => Promise<readonly KubernetesObject[]>
}

/**
 * Plans Kustomizations as their own passes would apply them: with the same identity on the cluster, the same build and the same rules. The pass must be
 * a dry run. A head may not fetch what its base does not, and runs no programs, as nobody has reviewed it.
 */
export const kustomizationPlanner = (ports: PlanningPorts, settings: KustomizationSettings): KustomizationPlanner => {
  const { references, clock } = ports
  // Its own: heads must not replace what the passes of units reuse.
  const cached = createBuildCache(ports)
  const readSource = createSourceFiles(ports)
  const keys = ports.cloudKeys ?? localKeysOnly(clock)
  const decryption = createDecryption(references, ports.openPgp, keys, settings)

  /** The builds of one unit at its base and at the head. */
  const buildsOf = (unit: Kustomization, signal: AbortSignal) => {
    const { first, second } = knownRemotes(ports)
    const filesOf = async (artifact: Artifact) => {
      const files = await orFailure('ArtifactFailed', signal, () => readSource(artifact))
      if (!files) throw new Error(`the artifact of ${artifact.revision} is not stored any more`)
      return files
    }
    const build = async (artifact: Artifact, side: 'base' | 'head', isOpen: boolean): Promise<Manifests> => {
      const files = await filesOf(artifact)
      const given = { ...ports, cached, ...(side === 'base' ? first : second), plugins: undefined }
      const known = isOpen ? { ...given, references: withoutSecrets(references) } : { ...given, decryption }
      const source = { artifact, files, folder: sourceFolder(files, unit.spec.path) }
      return buildManifests(isOpen ? withoutDecryption(unit) : unit, source, known, settings, signal)
    }
    return { build, locate: async (artifact: Artifact) => locateIn(await filesOf(artifact), unit.spec) }
  }

  const plan = async (
    unit: Kustomization,
    head: Artifact,
    pass: Pass<Kustomization>,
    restraint: Restraint,
  ): Promise<HeadPlan> => {
    const { signal } = pass
    requireDecryptionAllowed(unit, settings)
    const { artifact: base } = await resolveSource(unit, { references, settings })
    const { build, locate } = buildsOf(unit, signal)
    const openBuild = (artifact: Artifact, side: 'base' | 'head') => build(artifact, side, true)
    const before = await build(base, 'base', false).catch(orAbort(signal, () => undefined))
    const built = await build(head, 'head', false).catch(
      orAbort(signal, async error => {
        const open = await openBuild(head, 'head').then(() => undefined, errorMessage)
        const closed =
          'the build fails with values that are not in the repository: the PullRequest on the hub says more'
        return { type: 'failed', message: errorMessage(error), open: open ?? closed } as const
      }),
    )
    if ('type' in built) return built
    if (before?.digest === built.digest) return { type: 'untouched' }
    const target = await connect(unit, { ...ports, settings }, pass)
    const manifests = placedBuild(built, target.hubSide)
    const { cluster, owner, reference } = target
    const run: KustomizationRun = {
      ...{ applier: unit, pass, clock, cluster, owner, digest: built.digest, startedAt: pass.startedAt },
      ...{ revision: revisionOf(head), routine: false },
    }
    const { applied: inventory, ...rules } = applyRules(run, manifests, settings, await locate(head))
    const planned = await orFailure('ReconciliationFailed', signal, () =>
      planChanges(cluster, manifests.objects, {
        ...{ ...rules, inventory, prune: unit.spec.prune, clock, signal },
      }),
    )
    const builds = await openBuilds({ base, head }, openBuild, target, signal)
    const disclosure = { ...manifests.secrets, fieldManager }
    const policies = await policiesOf(unit, restraint, references)
    return {
      type: 'planned',
      cluster: reference,
      counts: countsOf(planned),
      changes: openChanges(planned.changes, builds, disclosure),
      ...(appliesToHub(target) && planned.failures.length === 0 && { onHub: builds }),
      policies: await judgeOpenly(policies, { unit, planned, disclosure, restraint }, builds, cluster),
      refused: planned.failures.map(({ message }) => message),
    }
  }

  const onHub = async (unit: Kustomization, head: Artifact, signal: AbortSignal): Promise<OpenBuilds | undefined> => {
    const target = await targetCluster(ports, unit, settings)
    if (!appliesToHub(target)) return undefined
    const { artifact: base } = await resolveSource(unit, { references, settings })
    const { build } = buildsOf(unit, signal)
    return openBuilds({ base, head }, (artifact, side) => build(artifact, side, true), target, signal)
  }

  return {
    plan: (unit, head, pass) =>
      restrainedPlan(ports, unit, pass, (unit, pass, restraint) => plan(unit, head, pass, restraint)),
    onHub: (unit, head, signal) => onHub(unit, head, signal).catch(orAbort(signal, () => undefined)),
    openBase: (unit, signal) => {
      const built = async () => {
        const { artifact } = await resolveSource(unit, { references, settings })
        return (await buildsOf(unit, signal).build(artifact, 'base', true)).objects
      }
      return built().catch(orAbort(signal, () => []))
    },
  }
}

const appliesToHub = ({ reference, hubSide }: Pick<ReachedTarget, 'reference' | 'hubSide'>): boolean =>
  !reference || hubSide !== undefined

/** Builds that know the repository alone, as they are placed; nothing of one that fails. */
const openBuilds = async (
  { base, head }: { readonly base: Artifact; readonly head: Artifact },
  build: (artifact: Artifact, side: 'base' | 'head') => Promise<Manifests>,
  { hubSide }: Pick<ReachedTarget, 'hubSide'>,
  signal: AbortSignal,
): Promise<OpenBuilds> => {
  const open = async (artifact: Artifact, side: 'base' | 'head') => {
    const one = await build(artifact, side).catch(orAbort(signal, () => undefined))
    return one ? placedBuild(one, hubSide).objects : []
  }
  return { base: await open(base, 'base'), head: await open(head, 'head') }
}
