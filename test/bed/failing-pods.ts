import type { Cluster } from './cluster.ts'
import { eventually } from './eventually.ts'

/** As a kubelet reports a container that restarts again and again. */
export const restarting = {
  ...{ image: 'example.com/web', imageID: '', ready: false, restartCount: 3 },
  state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' } },
  lastState: { terminated: { exitCode: 1, reason: 'Error' } },
}

/** As it reports one whose image does not exist. */
export const withoutImage = {
  ...{ image: 'example.com/web', imageID: '', ready: false, restartCount: 0 },
  state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "example.com/web"' } },
}

/** A Deployment whose pod runs, and does not become ready. */
export const stuckDeployment = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}, annotations: {testcluster/hold: unready}}
    spec: {containers: [{name: web, image: example.com/web}]}
`

/** Reports the state of the container `web` of the first pod with the label `app`, in the namespace default: the stand-in for a kubelet knows none that fails. Resolves to the pod's name. */
export const reportContainer = async (
  { kubectl }: Pick<Cluster, 'kubectl'>,
  app: string,
  state: object,
): Promise<string> => {
  const ofDefault = ['-n', 'default'] as const
  const pod = await eventually(async () => {
    const found = await kubectl('get', 'pods', '-l', `app=${app}`, '-o', 'name', ...ofDefault)
    return /^pod\/(\S+)/.exec(found)?.[1] ?? null
  })
  const patch = JSON.stringify({ status: { containerStatuses: [{ name: 'web', ...state }] } })
  await kubectl('patch', 'pod', pod, '--subresource=status', '--type=merge', '-p', patch, ...ofDefault)
  return pod
}
