/** Records what Flux's libraries make of the kustomization files of test/unit/reconcile/kustomization. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { kustomizeOracle } from '../bed/kustomize-oracle.ts'
import { kustomizationFiles } from '../unit/reconcile/kustomization/kustomization-files.ts'

const target = join(import.meta.dirname, '../unit/reconcile/kustomization/kustomization-files.recorded.json')

await using oracle = await kustomizeOracle()
const answers = await Promise.all(kustomizationFiles.map(async file => [file, await oracle.rewrite(file)] as const))
writeFileSync(target, `${JSON.stringify(Object.fromEntries(answers), null, 1)}\n`)
