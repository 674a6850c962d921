import { join } from 'node:path'
import { type GoTool, goTool } from './go-tool.ts'

// What `kubectl version` and the API server's /version say. The version itself is go.mod's.
const version = { gitVersion: 'v1.36.3', gitMajor: '1', gitMinor: '36', gitTreeState: 'clean' }
const stamp = Object.entries(version).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)

export const testclusterTool: GoTool = {
  name: 'testcluster',
  source: join(import.meta.dirname, 'testcluster'),
  ldflags: `-s -w ${stamp.join(' ')}`,
  takes: '5 to 11 minutes on two cores and 3 GB of Go build cache, 20 s when Go has compiled its packages before',
}

/** The path of the testcluster binary (a whole Kubernetes: see testcluster/main.go), built if need be. */
export const testcluster = (): Promise<string> => goTool(testclusterTool)

/** kubectl of the same version. A program of its own, as it is run thousands of times: it starts in half the time. */
export const kubectlTool: GoTool = {
  ...testclusterTool,
  name: 'kubectl',
  package: 'k8s.io/kubernetes/cmd/kubectl',
  takes: '10 s when testcluster is built, else minutes',
}

/** The path of the kubectl binary, built if need be. */
export const kubectlProgram = (): Promise<string> => goTool(kubectlTool)
