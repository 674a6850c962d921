import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, describe, test } from 'node:test'
import type { Receiver } from '../../../lib/foundations/kinds/receiver.ts'
import { eventually } from '../../bed/eventually.ts'
import { kubeconfigSecret } from '../../bed/fleet-objects.ts'
import { forgeRepository } from '../../bed/forge.ts'
import { type Runner, startRunner } from '../../bed/runner.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { configMap, valueIn } from '../fleet.ts'

const name = 'proposed'
const release = `${name}-release`
/** Of a runner. */
const behind = `${name}-behind`
const behindRelease = `${release}-behind`
const token = 'token-of-proposals'

/** Two manifests, and a chart of one ConfigMap. */
const files = (value: string, version: string) => ({
  'deploy/a.yaml': configMap(name, value),
  'behind/a.yaml': configMap(behind, value),
  'chart/Chart.yaml': `{apiVersion: v2, name: app, version: ${version}}\n`,
  'chart/templates/a.yaml': configMap('{{ .Release.Name }}', `of ${version}`),
})

const objects = (url: string): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: ${name}, namespace: default}
spec: {interval: 1h, url: '${url}', ref: {branch: main}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  prune: true
  path: ./deploy
  sourceRef: {kind: GitRepository, name: ${name}}
  kubeConfig: {secretRef: {name: ${name}}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${behind}, namespace: default}
spec:
  interval: 1h
  prune: true
  path: ./behind
  sourceRef: {kind: GitRepository, name: ${name}}
  kubeConfig: {configMapRef: {name: ${name}}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ${release}, namespace: default}
spec:
  interval: 1h
  chart: {spec: {chart: ./chart, sourceRef: {kind: GitRepository, name: ${name}}}}
  kubeConfig: {secretRef: {name: ${name}}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ${behindRelease}, namespace: default}
spec:
  interval: 1h
  chart: {spec: {chart: ./chart, sourceRef: {kind: GitRepository, name: ${name}}}}
  kubeConfig: {configMapRef: {name: ${name}}}
---
apiVersion: v1
kind: Secret
metadata: {name: ${name}-tokens, namespace: default}
stringData: {token: secret}
---
apiVersion: v1
kind: Secret
metadata: {name: ${name}-hook, namespace: default}
stringData: {token: ${token}}
---
apiVersion: notification.toolkit.fluxcd.io/v1beta3
kind: Provider
metadata: {name: ${name}, namespace: default}
spec: {type: gitea, address: '${url}', secretRef: {name: ${name}-tokens}}
---
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata: {name: ${name}, namespace: default, annotations: {fleet.keelson.dev/plan-pull-requests: ${name}}}
spec:
  type: github
  events: [pull_request]
  secretRef: {name: ${name}-hook}
  resources: [{kind: GitRepository, name: ${name}}]
`

/**
 * The function of webhooks writes the PullRequest, that of sources fetches the head, that of clusters plans it and comments, and has that of releases plan the charts,
 * and a runner what only that reaches.
 */
export function plansPullRequests({ admin, target, edge, url: api, ca, emulator }: DeployedHub): void {
  describe('plans pull requests', inOrder, () => {
    let it: Runner | undefined
    after(() => it?.[Symbol.asyncDispose]())

    test('a pull request gets one comment with what it would change; its end takes all away', async () => {
      const { repo, url, forge } = await forgeRepository('gitea', files('one', '1.0.0'))
      const joinToken = (await admin.keelson('join', name, '-n', 'default', '--kubeconfig', admin.kubeconfig)).trim()
      await admin.apply(`${kubeconfigSecret(name, target)}${objects(url)}`)
      const { certificateFile: NODE_EXTRA_CA_CERTS = '' } = emulator
      it = startRunner({ server: api, certificateAuthority: ca }, target, {
        ...{ cluster: `default/${name}`, joinToken, poll: '2s' },
        env: { ...process.env, NODE_EXTRA_CA_CERTS },
      })
      for (const each of [name, behind])
        await eventually(async () => assert.equal(await valueIn(target, each), 'one'), patient)
      for (const each of [release, behindRelease])
        await eventually(async () => assert.equal(await valueIn(target, each), 'of 1.0.0'), patient)
      const pathOf = async () => (await admin.get<Receiver>('receiver', name)).status?.webhookPath ?? null
      const path = await eventually(pathOf, patient)
      const sha = await repo.push(files('two', '1.1.0'), { branch: 'change' })
      await repo.git('update-ref', 'refs/pull/1/head', sha)
      const call = async (state: 'open' | 'closed') => {
        const body = JSON.stringify({
          pull_request: {
            ...{ number: 1, state, user: { login: 'ada' } },
            head: { sha, repo: { full_name: 'org/app' } },
            base: { ref: 'main', repo: { full_name: 'org/app' } },
          },
          repository: { clone_url: url },
        })
        const signature = createHmac('sha256', token).update(body).digest('hex')
        const headers = {
          'content-type': 'application/json',
          'x-gitea-event': 'pull_request',
          'x-gitea-signature': signature,
        }
        return (await fetch(`${edge}${path}`, { method: 'POST', headers, body })).status
      }
      assert.equal(await call('open'), 200)
      await eventually(() => assert.equal(forge.comments.length, 1), patient)
      const { text } = forge.comments[0]!
      assert.match(text, /- {3}data\.value: one\n\+ {3}data\.value: two\n/)
      assert.match(text, /\| `Kustomization\/default\/proposed-behind` \| `ConfigMap\/default\/proposed` \| `~1` \|/)
      assert.match(
        text,
        /\| `HelmRelease\/default\/proposed-release-behind` \| `ConfigMap\/default\/proposed` \| `~1` \|/,
      )
      assert.match(text, /- {3}data\.value: of 1\.0\.0\n\+ {3}data\.value: of 1\.1\.0\n/)
      await eventually(() => assert.equal(forge.statuses.at(-1)?.sent.description, '4 units: ~4'), patient)
      for (const each of [name, behind]) assert.equal(await valueIn(target, each), 'one')
      for (const each of [release, behindRelease]) assert.equal(await valueIn(target, each), 'of 1.0.0')

      assert.equal(await call('closed'), 200)
      await eventually(async () => {
        const left = await admin.kubectl('get', 'pullrequests,gitrepositories', '-o', 'name')
        assert.doesNotMatch(left, new RegExp(`${name}-(pr-)?1`))
      }, patient)
    })
  })
}
