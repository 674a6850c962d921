import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { TestOptions } from 'node:test'
import { jsonLines } from './json-lines.ts'

/** The recorded behaviour of the original tools; see docs in the corpora's own README. */
const root = resolve(process.env.KEELSON_CONFORMANCE ?? join(import.meta.dirname, '../../../shared/conformance'))

export const corpusFile = (path: string): string => join(root, path)

export const readJson = <T>(path: string): T => JSON.parse(readFileSync(corpusFile(path), 'utf8')) as T

export const readJsonLines = <T>(path: string): T[] => jsonLines(corpusFile(path))

/** Options of a test that needs a corpus: skipped with the reason where there is none, but never in CI. */
export const needsCorpus = (name: string): TestOptions =>
  existsSync(corpusFile(name)) || process.env.CI
    ? {}
    : { skip: `no corpus ${corpusFile(name)}: set KEELSON_CONFORMANCE to the folder that holds ${name}/` }
