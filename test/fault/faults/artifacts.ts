import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentFolder } from '../../../lib/platform/ports/artifacts.ts'
import type { ApiClient } from '../../attack/api-client.ts'
import { adminOf, readyOf } from '../../attack/world.ts'
import { eventually } from '../../bed/eventually.ts'
import { appRepository } from '../../bed/fleet-objects.ts'
import type { Fault } from '../fault.ts'

const source = '/apis/source.toolkit.fluxcd.io/v1/namespaces/default/gitrepositories/app'
const unit = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/default/kustomizations/late'

/** Loses what is stored, and then has a Kustomization need it. */
const lost = (name: string, lose: (artifacts: string) => void, told: RegExp): Fault => ({
  name,
  quick: true,
  async play({ hub: start, repo: serve }) {
    const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied, namespace: default}\n'
    const [hub, repo] = await Promise.all([start(), serve({ 'a.yaml': manifest })])
    const admin = adminOf(hub)
    await hub.apply(appRepository(repo))
    await eventually(async () => assert.equal((await readyOf(admin, source))?.status, 'True'))
    lose(join(hub.dataDirectory, 'artifacts'))
    const begun = performance.now()
    await hub.apply(`
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: late, namespace: default}
spec: {interval: 1h, retryInterval: 1h, prune: true, path: ./, sourceRef: {kind: GitRepository, name: app}}
`)
    await eventually(async () => assert.equal((await readyOf(admin, unit))?.status, 'True'))
    const took = `${((performance.now() - begun) / 1000).toFixed(1)} s`
    assert.match((await eventsOf(admin)).join('\n'), told)
    return `noticed by who needed it, fetched again and applied after ${took}, told by an Event`
  },
})

const eventsOf = async (admin: ApiClient): Promise<readonly string[]> => {
  const { body } = await admin.request('GET', '/api/v1/namespaces/default/events')
  const { items } = body as { readonly items: readonly { readonly reason: string; readonly message: string }[] }
  return items.map(({ reason, message }) => `${reason}: ${message}`)
}

const everyArtifact = (artifacts: string): readonly string[] => {
  const contents = join(artifacts, contentFolder)
  return readdirSync(contents).map(name => join(contents, name))
}

export const artifactFaults: readonly Fault[] = [
  lost(
    'artifacts/ is removed under a running hub',
    artifacts => rmSync(artifacts, { recursive: true }),
    /ArtifactVerificationFailed: artifact of revision '.*' disappeared from storage/,
  ),
  lost(
    'a stored artifact is damaged',
    artifacts => {
      for (const file of everyArtifact(artifacts)) writeFileSync(file, 'not what it was')
    },
    /ArtifactVerificationFailed: (failed to verify integrity of artifact|artifact of revision '.*' disappeared)/,
  ),
]
