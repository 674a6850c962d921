/** Records what the real helm makes of the calls in `go-functions/helm.ts`: `node test/recorders/helm-functions.ts`. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { helmBinary } from '../bed/helm-binary.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { helmCalls } from '../unit/engines/template/go-functions/helm.ts'

const helm = await helmBinary()
await using dir = disposableDir()
mkdirSync(join(dir.path, 'templates'))
writeFileSync(join(dir.path, 'Chart.yaml'), 'apiVersion: v2\nname: chart\nversion: 1.0.0\n')

/** A manifest whose only field is what comes of the call. */
const outcome = (call: string): string => {
  writeFileSync(join(dir.path, 'templates/x.yaml'), `came: {{ ${call} | toJson }}\n`)
  try {
    const printed = execFileSync(helm, ['template', dir.path], { encoding: 'utf8', stdio: 'pipe' })
    return /^came: (.*)$/m.exec(printed)![1]!
  } catch (error) {
    // Helm shows the same failure in several forms.
    const [, message] = /(?:error calling \w+: |\(chart.*?\): |\n {4})(.*)\n/.exec(
      (error as { stderr: string }).stderr,
    )!
    return `failed: ${message}`
  }
}
const recorded = Object.fromEntries(
  Object.values(helmCalls)
    .flat()
    .map(call => [call, outcome(call)]),
)
const file = new URL('../unit/engines/template/go-functions/helm.recorded.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`)
