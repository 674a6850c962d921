import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type Scenario, scenariosBelow } from '../conformance/flux/scenario.ts'

const folder = join(import.meta.dirname, 'recorded')

/** Stories of HelmReleases lie as those of the corpus do: a folder each. */
export const recordedReleases = join(folder, 'helmrelease')

/** Where the scenario of an area is kept. */
export const recordingFile = ({ id, area }: Pick<Scenario, 'id' | 'area'>): string => {
  if (area !== 'helmrelease') return join(folder, `${id}.yaml`)
  mkdirSync(join(recordedReleases, id), { recursive: true })
  return join(recordedReleases, id, 'scenario.yaml')
}

/** Scenarios of our own, with what Flux's controllers did: source-controller 1.9.1 and kustomize-controller 1.9.4. */
export const recordedHere = (): readonly Scenario[] =>
  readdirSync(folder)
    .filter(file => file.endsWith('.yaml'))
    .map(file => parse(readFileSync(join(folder, file), 'utf8')) as Scenario)

/** The same of helm-controller 1.6.2. */
export const releasesRecordedHere = (): readonly Scenario[] => scenariosBelow(recordedReleases)
