/**
 * Loaded before the operator: asks it to stop when the process that started it is no more, however that came about.
 * JavaScript, because what strips types would stay in the memory of an operator that is measured.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
