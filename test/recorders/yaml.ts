/** Records what the real YAML libraries of kustomize and Kubernetes make of `go-yaml-texts.ts`, `rare-texts.ts`, `rare-data.ts` and `odd-texts.ts`: `node test/recorders/yaml.ts`. */
import { writeFileSync } from 'node:fs'
import { askYamlOracle } from '../bed/yaml-oracle.ts'
import { texts } from '../unit/engines/yaml/go-yaml-texts.ts'
import { answerDigest, oddTexts } from '../unit/engines/yaml/odd-texts.ts'
import { texts as rareData } from '../unit/engines/yaml/rare-data.ts'
import { texts as rareTexts } from '../unit/engines/yaml/rare-texts.ts'

for (const [name, groups] of Object.entries({ 'go-yaml': texts, 'rare-texts': rareTexts, 'rare-data': rareData })) {
  const all = [...new Set(Object.values(groups).flat())]
  const answers = await askYamlOracle(all)
  const recorded = Object.fromEntries(all.map((text, i) => [text, answers[i]]))
  const file = new URL(`../unit/yaml/${name}.recorded.json`, import.meta.url)
  writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`)
}

const digests = (await askYamlOracle(oddTexts())).map(answerDigest)
writeFileSync(
  new URL('../unit/engines/yaml/odd-texts.recorded.json', import.meta.url),
  `${JSON.stringify(digests, null, 1)}\n`,
)
