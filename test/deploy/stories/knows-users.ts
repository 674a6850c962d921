import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eksToken } from '../../../lib/platform/cloud/aws/eks-token.ts'
import { eventually } from '../../bed/eventually.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { askHub } from '../hub-access.ts'

/** Who is let in with AWS credentials, and what that one may do. */
export function knowsUsers(hub: DeployedHub): void {
  const { hubName, emulator, admin, stranger } = hub

  describe('knows its users', inOrder, () => {
    test('refuses who has no token, a forged, an expired or a foreign one, and judges by roles who has', async () => {
      const ask = async (token?: string) => {
        const { status, message } = await askHub(hub, '/api/v1/namespaces/default/secrets', token)
        return `${status} ${message}`
      }
      const tokenOf = async (options: Partial<Parameters<typeof eksToken>[1]> = {}, as = stranger.credentials) => {
        const scope = { clusterName: hubName, region: emulator.region, endpoint: emulator.endpoint, now: Date.now() }
        return (await eksToken(as, { ...scope, ...options })).token
      }
      assert.equal(await ask(), '401 Unauthorized')
      assert.equal(await ask('k8s-aws-v1.aaaa'), '401 Unauthorized')
      assert.equal(await ask(await tokenOf({ clusterName: 'another-hub' })), '401 Unauthorized')
      assert.equal(await ask(await tokenOf({ now: Date.now() - 16 * 60_000 })), '401 Unauthorized')
      assert.equal(await ask(await tokenOf({ endpoint: 'https://sts.us-east-1.amazonaws.com' })), '401 Unauthorized')
      const forged = { ...stranger.credentials, secretAccessKey: 'x'.repeat(40) }
      assert.equal(await ask(await tokenOf({}, forged)), '401 Unauthorized')
      const refusal = `403 secrets is forbidden: User "${stranger.arn}" cannot list resource "secrets" in API group "" in the namespace "default"`
      assert.equal(await ask(await tokenOf()), refusal)
    })

    test('aws-auth maps a principal to a user, with the rights of a Role', async () => {
      const refused = await stranger.ending('get', 'kustomizations')
      assert.match(refused.stderr, new RegExp(`User "${stranger.arn}" cannot list resource`))
      await admin.apply(`
apiVersion: v1
kind: Namespace
metadata: {name: keelson-system}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: aws-auth, namespace: keelson-system}
data:
  mapUsers: |
    - {userarn: '${stranger.arn}', username: bob, groups: [viewers]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: viewers, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{kind: Group, name: viewers, apiGroup: rbac.authorization.k8s.io}]
`)
      await eventually(async () => {
        const name = await stranger.kubectl('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')
        assert.equal(name, 'bob')
      }, patient)
      await eventually(async () => assert.equal((await stranger.ending('get', 'configmaps')).exitCode, 0), patient)
      // Another instance of the function may still know the principal by its ARN.
      await eventually(async () => {
        const secrets = await stranger.ending('get', 'secrets')
        assert.match(secrets.stderr, /User "bob" cannot list resource "secrets"/)
      }, patient)
    })
  })
}
