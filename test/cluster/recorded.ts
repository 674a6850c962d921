import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Scenario } from '../conformance/flux/scenario.ts'

const folder = join(import.meta.dirname, 'recorded')

export const recordingFile = (id: string): string => join(folder, `${id}.yaml`)

/** Scenarios of our own, with what Flux's controllers did: source-controller 1.9.1 and kustomize-controller 1.9.4. */
export const recordedHere = (): readonly Scenario[] =>
  readdirSync(folder).map(file => parse(readFileSync(join(folder, file), 'utf8')) as Scenario)
