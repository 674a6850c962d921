/** A Kustomization that is undone. */
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { author, type Scene } from './scene.ts'

export const undo = 'keelson.dev/undo'

/** The digest of what was applied last, or of an earlier run. */
export const digestOf = async ({ read }: Scene, at = 0): Promise<string> =>
  (await read('app'))!.status!.history![at]!.digest

/** As a user does with kubectl. */
export const undoTo = ({ hub, settle }: Scene, to: string, user = 'jane') =>
  hub
    .patch(
      kustomizationRef('app'),
      { type: 'merge', patch: { metadata: { annotations: { [undo]: to } } } },
      {
        ...author,
        user,
      },
    )
    .then(settle)

/** The condition Pinned. */
export const pinnedOf = async ({ read }: Scene) => {
  const found = conditionOf((await read('app'))?.status?.conditions, 'Pinned')
  return found && `${found.status} ${found.reason}: ${found.message}`
}
