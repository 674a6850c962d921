import { type Preview, preview, previewRollback } from '../../clusters/helm-release/preview.ts'
import type { ActionName } from './decide.ts'
import { installRequest, rollbackRequest, upgradeRequest } from './requests.ts'
import { versionOf } from './undo/contents-digest.ts'
import type { Work } from './work.ts'

/** What an installation or an upgrade would do, whichever it would be, or the rollback of an undo. Fails as the action would. */
export const previewed = async (
  { draft, deps, chart, values, requests, name, undo }: Work,
  action: ActionName,
): Promise<Preview> => {
  const release = draft.onCluster
  if (action === 'undo') {
    const target = versionOf(await deps.storage.history(name), undo!)
    return previewRollback(deps, rollbackRequest(release, target?.release.version ?? 0, requests))
  }
  const given = { chart, values }
  return preview(deps, {
    install: installRequest(release, given, requests),
    upgrade: upgradeRequest(release, given, requests),
  })
}
