import { apiVersionOf } from '../../foundations/kinds/all.ts'
import { kustomization } from '../../foundations/kinds/kustomization.ts'
import { resourceSet } from '../../foundations/kinds/resource-set.ts'
import { type KeepLimits, stillKept } from '../../foundations/rules/kept-builds.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import type { ObjectStore } from '../../platform/ports/objects.ts'
import { unitMemory } from '../runtime/unit-memory.ts'
import { digestsOfApproved } from './forget-builds.ts'
import { keptFolder } from './sealed-builds.ts'

interface CollectPorts {
  readonly artifacts: Pick<ArtifactStore, 'list' | 'delete'>
  readonly objects: Pick<ObjectStore, 'get' | 'commit'>
}

/** Those that store what they have applied. */
const kinds = [kustomization, resourceSet]

/**
 * Deletes stored builds that were replaced for too long, or that no unit keeps: passes delete what newer ones replace. Costs a listing, and a
 * read for each unit with builds of that age, and of each kind.
 */
export const collectKept = async (
  { artifacts, objects }: CollectPorts,
  limits: KeepLimits,
  now: number,
): Promise<void> => {
  const units = unitMemory(objects)
  const stored = await Array.fromAsync(artifacts.list(keptFolder))
  const old = stored.filter(({ storedAt }) => now - storedAt >= limits.ttlMs)
  for (const [folder, ofUnit] of Map.groupBy(old, ({ name }) => name.slice(0, name.lastIndexOf('/')))) {
    const [, namespace = '', uid = ''] = folder.split('/')
    const digests: string[] = []
    for (const kind of kinds) {
      const metadata = { name: '', namespace, uid }
      const facts = await units.read({ apiVersion: apiVersionOf(kind), kind: kind.kind, metadata })
      digests.push(...stillKept(facts.kept ?? [], limits, now).map(({ digest }) => digest), ...digestsOfApproved(facts))
    }
    const names = new Set(digests.map(digest => `${folder}/${digest.replace(/^sha256:/, '')}`))
    for (const { name } of ofUnit) if (!names.has(name)) await artifacts.delete(name)
  }
}
