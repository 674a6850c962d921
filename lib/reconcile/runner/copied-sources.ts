import { copiedSourcesOf } from '../../engines/resource-set/data-source.ts'
import { type RenderingContext, renderSteps } from '../resource-set/render-set.ts'
import { resolveInputs } from '../resource-set/resolve-inputs.ts'
import type { CopiedSources } from './data-of-set.ts'

/** How long rendering a set may take, in milliseconds. */
const timeoutMs = 10_000

/** Finds what ResourceSets copy by rendering them. */
export const copiedSourcesBy =
  (context: RenderingContext): CopiedSources =>
  async set => {
    const inputs = await resolveInputs(set, context.references)
    const steps = await renderSteps(set, inputs, { signal: AbortSignal.timeout(timeoutMs) }, context)
    return copiedSourcesOf(steps.flatMap(({ objects }) => objects))
  }
