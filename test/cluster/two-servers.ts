import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { startCluster } from '../bed/cluster.ts'
import type { CommandOptions, Ending } from '../bed/command.ts'
import { startHub } from '../bed/hub.ts'
import { kubectl, kubectlEnding } from '../bed/kubectl.ts'

export interface TwoServers extends AsyncDisposable {
  /** Runs the command against both, fails unless they answer alike, and returns how it ended. */
  both(args: readonly string[], options?: CommandOptions): Promise<Ending>
  /** The same for answers that differ in words: returns the cluster's and the hub's. */
  each(args: readonly string[], options?: CommandOptions): Promise<readonly [Ending, Ending]>
}

/** A real kube-apiserver, which is right by definition, and the hub beside it. The caller disposes of them. */
export async function twoServers(crdFiles: readonly string[]): Promise<TwoServers> {
  const [real, ours] = await Promise.all([startCluster(), startHub()])
  for (const file of crdFiles) {
    await kubectl(real.kubeconfig, ['apply', '--server-side', '-f', '-'], { input: readFileSync(file) })
  }
  if (crdFiles.length > 0) await real.kubectl('wait', 'crd', '--all', '--for=condition=Established')
  const each: TwoServers['each'] = (args, options) =>
    Promise.all([answerOf(real.kubeconfig, args, options), answerOf(ours.kubeconfig, args, options)])
  return {
    each,
    async both(args, options) {
      const [expected, actual] = await each(args, options)
      assert.deepEqual(
        actual,
        expected,
        `the hub answers \`kubectl ${args.join(' ')}\` otherwise than a kube-apiserver`,
      )
      return actual
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([real, ours].map(it => it[Symbol.asyncDispose]()))
    },
  }
}

async function answerOf(kubeconfig: string, args: readonly string[], options?: CommandOptions): Promise<Ending> {
  const { exitCode, stdout, stderr } = await kubectlEnding(kubeconfig, args, options)
  return { exitCode, stdout: comparable(stdout), stderr: comparable(stderr) }
}

/** Masks identities, times and addresses, the column widths that follow from them, and what client-go logs. */
export const comparable = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
    .replace(/^[IWE]\d{4} \S+ +\d+ reflector\.go.*\n/gm, '')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| \+0000)/g, '<time>')
    .replace(/(resource ?version"?: *)"?\d+"?/gi, '$1<version>')
    .replace(/https:\/\/127\.0\.0\.1:\d+/g, '<server>')
    .replace(/(?<=\s)\d+[smh](\d+s)?(?=\s|$)/g, '<age>')
    .replace(/\/tmp\/\S+/g, '<file>')
    .replace(/ {2,}/g, '  ')
    .replace(/ +$/gm, '')
