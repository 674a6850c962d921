/** Scenarios in which ours does otherwise than Flux, and why: the checklist's "When the sources disagree" decides. */
export const differences: Readonly<Record<string, string>> = {}
