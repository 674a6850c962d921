import { type Preview, preview, previewRollback } from '../../clusters/helm-release/preview.ts'
import type { ActionName } from './decide.ts'
import { previousGood } from './history.ts'
import { upgradeRemediation } from './remediation.ts'
import { installRequest, rollbackRequest, upgradeRequest } from './requests.ts'
import { versionOf } from './undo/contents-digest.ts'
import type { Work } from './work.ts'

/** What an installation or an upgrade would do, whichever it would be, or a rollback. Fails as the action would. */
export const previewed = async (
  { draft, deps, chart, values, requests, name, undo }: Work,
  action: ActionName,
): Promise<Preview> => {
  const release = draft.onCluster
  if (action === 'undo') {
    const target = versionOf(await deps.storage.history(name), undo!)
    return previewRollback(deps, rollbackRequest(release, target?.release.version ?? 0, requests))
  }
  if (action === 'rollback') {
    const { ignoresTestFailures } = upgradeRemediation(draft.release.spec)
    const target = previousGood(draft.status.history ?? [], ignoresTestFailures)
    return previewRollback(deps, rollbackRequest(release, target?.version ?? 0, requests))
  }
  const given = { chart, values }
  return preview(deps, {
    install: installRequest(release, given, requests),
    upgrade: upgradeRequest(release, given, requests),
  })
}
