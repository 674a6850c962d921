import { ignoring, readPatterns } from '../../lib/engines/ignore/source-ignore.ts'
import { InvalidConstraint, parseConstraint } from '../../lib/engines/semver/constraint.ts'
import { parseVersion } from '../../lib/engines/semver/version.ts'
import { envsubst } from '../../lib/engines/substitute/envsubst.ts'
import { SubstitutionError } from '../../lib/engines/substitute/expression.ts'
import type { FluxAnswer, FluxQuestion } from '../bed/flux-oracle.ts'

/** What differs between the original's answer and ours: undefined when both said the same, or failed with the same message. */
export const differenceFromFlux = (question: FluxQuestion, answer: FluxAnswer): string | undefined => {
  const [theirs, ours] = [JSON.stringify(answer), JSON.stringify(answerOf(question))]
  return theirs === ours ? undefined : `${JSON.stringify(question)}\n  original: ${theirs}\n  ours:     ${ours}`
}

const answerOf = (question: FluxQuestion): FluxAnswer => {
  try {
    if ('substitute' in question) {
      const { substitute, variables, strict } = question
      return { text: envsubst(substitute, new Map(Object.entries(variables)), { strict }) }
    }
    if ('ignore' in question) {
      const ignores = ignoring(readPatterns(question.ignore, question.domain))
      const verdict = (path: string) => ignores(path.replace(/\/$/, '').split('/'), path.endsWith('/'))
      return { verdicts: question.paths.map(path => String(verdict(path))) }
    }
    const constraint = parseConstraint(question.constraint)
    const versions = question.versions.map(parseVersion)
    return { verdicts: versions.map(version => String(constraint.matches(version))) }
  } catch (error) {
    if (!(error instanceof SubstitutionError || error instanceof InvalidConstraint)) throw error
    return { error: error.message }
  }
}
