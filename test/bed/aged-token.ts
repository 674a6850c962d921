import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SignJWT } from 'jose'
import type { Cluster } from './cluster.ts'

const dayMs = 24 * 60 * 60_000

/**
 * A kubeconfig with a token of an administrator's ServiceAccount that the cluster has signed 30 days ago and that ends in two days. TokenRequest makes
 * none that have been issued earlier, so it is signed with the cluster's own key.
 */
export const kubeconfigThatExpiresSoon = async (target: Cluster): Promise<string> => {
  await target.kubectl('create', 'serviceaccount', 'hub', '-n', 'default')
  await target.kubectl(
    'create',
    'clusterrolebinding',
    'hub',
    '--clusterrole=cluster-admin',
    '--serviceaccount=default:hub',
  )
  const { metadata } = await target.get<{ metadata: { uid: string } }>('serviceaccount', 'hub')
  const key = createPrivateKey(readFileSync(join(dirname(target.kubeconfig), 'pki/service-accounts.key')))
  const seconds = (ms: number): number => Math.floor((Date.now() + ms) / 1000)
  const serviceaccount = { name: 'hub', uid: metadata.uid }
  const token = await new SignJWT({ 'kubernetes.io': { namespace: 'default', serviceaccount } })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer('https://kubernetes.default.svc')
    .setAudience('https://kubernetes.default.svc')
    .setSubject('system:serviceaccount:default:hub')
    .setIssuedAt(seconds(-30 * dayMs))
    .setNotBefore(seconds(-30 * dayMs))
    .setExpirationTime(seconds(2 * dayMs))
    .sign(key)
  return readFileSync(target.kubeconfig, 'utf8').replace(/token: .*/, `token: ${token}`)
}
